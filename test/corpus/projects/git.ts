import type {Project} from '../projects.ts';

/** A repository with branches, a merge, tags, a rename, a hook and ignored files. `remote.git` is its origin. */
export const git: Project = {
  needs: ['git'],
  files: {
    '.gitignore': 'build/\n*.o\n/remote.git\n/lib\n',
    '.gitattributes': '*.txt text\n*.bin binary\n',
    'README.md': 'demo\n',
    'src/main.txt': Array.from({length: 30}, (_, i) => `line ${i}\n`).join(''),
    'src/util.txt': 'util\n',
  },
  make: `git init -q . && git add . && git commit -qm 'first'
for n in 1 2 3; do echo "change $n" >> src/main.txt; git commit -qam "change $n"; done
git tag v1; git tag -a v1.1 -m 'annotated'
git mv src/util.txt src/tools.txt; git commit -qm 'rename util'
git switch -qc topic HEAD~2; echo topic > topic.txt; git add .; git commit -qm 'topic work'; echo more >> topic.txt; git commit -qam 'topic more'
git switch -qc conflict main; sed -i 's/line 3$/line three/' src/main.txt; git commit -qam 'conflict side'
git switch -q main; sed -i 's/line 3$/line III/' src/main.txt; git commit -qam 'main side'
git switch -qc merged HEAD~1; echo m > m.txt; git add .; git commit -qm 'side'; git switch -q main; git merge -q --no-ff -m 'merge side' merged
git init -q lib; echo lib > lib/lib.txt; git -C lib add .; git -C lib commit -qm 'lib first'
git clone -q --bare . remote.git; git remote add origin ./remote.git; git fetch -q origin; git branch -q -u origin/main
mkdir -p .git/hooks build; printf '#!/bin/sh\\necho pre-commit ran\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
echo object > build/a.o; echo untracked > new.txt; echo 'not yet committed' >> README.md; rm -rf .git/hooks/*.sample`,
};
