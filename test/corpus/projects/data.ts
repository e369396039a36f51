import type {Project} from '../projects.ts';

const people = [
  'id,name,city,age',
  '1,Ada,London,36',
  '2,Grace,New York,85',
  '3,Linus,Helsinki,54',
  '4,Ken,London,80',
];
const log = Array.from(
  {length: 200},
  (_, i) =>
    `2020-01-01T00:${String(Math.floor(i / 60)).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}Z ${
      ['GET', 'POST', 'PUT'][i % 3]
    } /item/${i % 17} ${[200, 404, 500, 200][i % 4]} ${(i * 37) % 1000}`,
);

/** Texts, tables, logs, scripts and archives: the usual material of shell commands. */
export const data: Project = {
  needs: [],
  files: {
    'people.csv': `${people.join('\n')}\n`,
    'cities.txt': 'London UK\nNew York US\nHelsinki FI\n',
    'logs/access.log': `${log.join('\n')}\n`,
    'logs/error.log': 'error one\nwarning two\nerror three\n',
    'doc/readme.md': '# Title\n\nSome *text* with a [link](a.html).\n\n## Part\n\n- one\n- two\n',
    'doc/with space.txt': 'spaces in a name\n',
    'doc/ünïcode.txt': 'größe\n日本語\n',
    'doc/.hidden': 'hidden\n',
    'config.json': '{"name":"demo","version":"1.2.3","list":[1,2,3],"nested":{"a":true}}\n',
    'config.ini': '[main]\nkey=value\nother=1\n',
    'schema.sql':
      "create table t(id integer primary key, name text, n int);\ninsert into t(name,n) values('a',1),('b',2),('c',3);\n",
    'bin/hello.sh': '#!/bin/sh\necho "hello ${1:-world}"\n',
    'bin/count.py': '#!/usr/bin/python3\nimport sys\nprint(sum(1 for _ in sys.stdin))\n',
    'bin/lib.bash': 'greet() { printf "hi %s\\n" "$1"; }\n',
    'bin/wc.pl': '#!/usr/bin/perl\nuse strict; my $n = 0; $n += split while <>; print "$n\\n";\n',
    'change.patch':
      '--- a/config.ini\n+++ b/config.ini\n@@ -1,3 +1,3 @@\n [main]\n-key=value\n+key=changed\n other=1\n',
    'old/a.txt': 'one\ntwo\nthree\n',
    'new/a.txt': 'one\n2\nthree\nfour\n',
    'numbers.txt': `${Array.from({length: 100}, (_, i) => (i * 7919) % 101).join('\n')}\n`,
  },
  make: `ln -s readme.md doc/link; ln -s missing doc/dangling; touch -d 2020-01-01 logs/*.log; mkdir -p empty
tar --mtime=2020-01-01 --sort=name -cf pack.tar doc logs; gzip -nk pack.tar; head -c 4096 /dev/zero > zeros.bin`,
};
