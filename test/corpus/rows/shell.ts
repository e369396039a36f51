import {rowsOf} from '../row.ts';

export const shellRows = rowsOf('write', 'data', [
  'sort -t, -k4 -n people.csv | tail -n +2 | cut -d, -f2 > names && cat names',
  'awk -F, "NR > 1 { s += \\$4 } END { print s / (NR - 1) }" people.csv',
  'awk "{ print \\$4 }" logs/access.log | sort | uniq -c | sort -rn > status.txt; cat status.txt',
  'sed -i "s/key=value/key=new/" config.ini && cat config.ini',
  'sed -i.bak -e "/other/d" config.ini && ls config.ini*',
  'sed -n "1,3p;5q" logs/access.log | tee first.txt | wc -l',
  'perl -pi -e "s/error/ERROR/" logs/error.log && cat logs/error.log',
  'perl -ne "print if /500/" logs/access.log | wc -l; perl bin/wc.pl doc/readme.md',
  'perl -MFile::Temp=tempfile -e "my (\\$h, \\$f) = tempfile(UNLINK => 1); print \\$h \\"x\\"; print -e \\$f ? \\"made\\\\n\\" : \\"none\\\\n\\""',
  'perl -e "my \\$pid = fork; if (!\\$pid) { exit 3 } waitpid \\$pid, 0; print \\$? >> 8, \\"\\\\n\\""',
  'grep -rl error . | sort && grep -c 404 logs/access.log && grep -rn "nothing at all" .; echo "rc $?"',
  'find . -name "*.txt" -print0 | sort -z | xargs -0 wc -l | tail -1',
  'find . -type f -newermt 2019-01-01 -size -2k -name "*.csv" -exec cp {} {}.copy \\; && ls *.copy',
  'find . -empty -delete; find . -type d | sort',
  'find . -name "*.log" -exec gzip -k {} + && find . -name "*.gz" | sort && zcat logs/error.log.gz | head -1',
  'tar xf pack.tar -C empty && find empty -type f | wc -l && diff -r doc empty/doc',
  {
    command:
      'tar czf a.tgz doc && tar tzf a.tgz | sort && mkdir x && tar xzf a.tgz -C x --strip-components=1 && ls x',
    varies: ['files'],
  },
  {
    command:
      'tar cf - doc | (cd empty && tar xpf -) && ls empty/doc; tar cJf a.txz logs && tar tJf a.txz | wc -l',
    varies: ['files'],
    needs: ['xz'],
  },
  {
    command:
      'zip -qr a.zip doc && unzip -qo a.zip -d empty && find empty -type f | wc -l && unzip -l a.zip | tail -1',
    needs: ['zip', 'unzip'],
    varies: ['files'],
  },
  'gunzip -k pack.tar.gz 2>&1; gunzip -fk pack.tar.gz && cmp pack.tar <(gzip -dc pack.tar.gz) && echo same',
  {
    command:
      'bzip2 -k numbers.txt && bunzip2 -c numbers.txt.bz2 | md5sum; xz -k numbers.txt && xz -dc numbers.txt.xz | md5sum',
    needs: ['bzip2', 'xz'],
  },
  {command: 'patch -p1 < change.patch && cat config.ini && patch -R -p1 < change.patch', needs: ['patch']},
  'diff -u old/a.txt new/a.txt > my.diff; echo "rc $?"; wc -l < my.diff; cmp old/a.txt new/a.txt; comm -12 old/a.txt new/a.txt',
  'cp -a doc copy && diff -r doc copy && rm -r copy && ls -A doc',
  'cp -p logs/error.log e && stat -c %y e && mv e f && rm f',
  'mv doc moved && ls moved && mv moved/readme.md . && rmdir empty && ls',
  'mkdir -p a/b/c && touch a/b/c/{1,2,3} && ls -R a && rm -rf a',
  'ln -s people.csv l && ln people.csv h && readlink l && stat -c %h people.csv && cat l | wc -l',
  'chmod 700 bin && chmod -R go-rwx doc && stat -c "%a %n" bin doc doc/readme.md',
  'umask 077 && touch private && stat -c %a private && install -m 640 -D people.csv deep/down/p.csv && stat -c %a deep/down/p.csv',
  'touch -d "2001-02-03 04:05:06" t && stat -c %Y t && touch -r t u && stat -c %Y u',
  'truncate -s 1M sparse && stat -c %s sparse && dd if=/dev/zero of=zero bs=1k count=4 2>/dev/null && stat -c %s zero && fallocate -l 4096 f && stat -c %s f',
  'split -l 25 numbers.txt part. && ls part.* && cat part.* | cmp - numbers.txt && echo whole',
  'csplit -s -f c. doc/readme.md "/^## /" && ls c.* && paste -sd, old/a.txt && join <(sort old/a.txt) <(sort new/a.txt)',
  'seq 5 | tee >(wc -l > count) > all; until test -s count; do sleep 0.1; done; cat all count',
  'seq 20 | xargs -n 3 -P 4 echo | wc -l && seq 3 | xargs -I{} sh -c "echo {} > n{}" && cat n1 n2 n3',
  'seq 10 | shuf --random-source=zeros.bin | head -3; seq 10 | tac | head -1; seq -s+ 5',
  'echo "scale=3; 10/3" | bc; expr 6 \\* 7; echo $((2 ** 10)); printf "%05.2f|%-5s|%x\\n" 3.14159 ab 255',
  'cat < people.csv > copy.csv && cmp people.csv copy.csv && echo "same $(wc -c < copy.csv)"',
  'cat people.csv > people.csv.new && mv people.csv.new people.csv && head -1 people.csv',
  'echo a > f; echo b >> f; cat f f > g; wc -l g; : > f; test -s f || echo empty; set -o noclobber; echo x > g; echo "rc $?"',
  'exec 3> out; echo three >&3; exec 3>&-; cat out; { echo a; echo b >&2; } 2>&1 | sort; ls missing 2> err; test -s err && echo told',
  'cat <<EOF > here\n$((1+1)) $(echo sub) `echo old`\nEOF\ncat here; cat <<-"EOF"\n\tno $expansion\n\tEOF',
  'for f in doc/*; do echo "${f##*/}"; done; for ((i = 0; i < 3; i++)); do printf %s $i; done; echo',
  'while IFS=, read -r id name rest; do echo "$id:$name"; done < people.csv',
  'declare -A m=([a]=1 [b]=2); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort; a=(x y z); echo "${a[@]:1}" "${#a[@]}"',
  's="hello world"; echo "${s^^}" "${s/o/0}" "${s#* }" "${s:0:3}" "${#s}"; [[ $s =~ w(.)r ]] && echo "${BASH_REMATCH[1]}"',
  'f() { local x=$1; return $((x * 2)); }; f 4; echo "rc $?"; trap "echo bye" EXIT; (exit 3); echo "rc $?"; false || echo or',
  'set -e; true; ! false; if false; then :; fi; echo still; false; echo never',
  'set -u; echo "${x:-default}"; echo "$missing"',
  'set -o pipefail; false | true; echo "rc $?"; true | false | true; echo "${PIPESTATUS[@]}"; yes | head -1',
  'case abc in a*) echo a;; *) echo other;; esac; select x in one; do echo $x; break; done <<< 1',
  'source bin/lib.bash && greet you; . ./bin/lib.bash; bash bin/hello.sh there; sh -c "echo $0"; ./bin/hello.sh',
  './bin/count.py < people.csv; chmod -x bin/hello.sh; ./bin/hello.sh; echo "rc $?"; nosuchprogram; echo "rc $?"',
  'env -i PATH="$PATH" A=1 env | sort; A=2 bash -c "echo $A"; export B=3; bash -c "echo \\$B"; printenv B; command -v sed',
  'sleep 0.2 & echo started; wait $!; echo "rc $?"; (sleep 5 & kill $!; wait $!; echo "rc $?"); jobs',
  'coproc cat; echo through >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"; kill $COPROC_PID',
  'mkfifo p && (echo fifo > p &) && cat p && rm p; ls | wc -l',
  'timeout 0.2 sleep 5; echo "rc $?"; timeout 5 true; echo "rc $?"; timeout -s KILL 0.1 sleep 5; echo "rc $?"',
  {command: 'kill -TERM $$; echo never', differs: 'ion exits with 128+N when a signal ended the command'},
  'bash -c "kill -9 \\$\\$"; echo "rc $?"; bash -c "exit 300"; echo "rc $?"; (ulimit -t 1; echo limited); nice -n 5 nice; nohup echo hup 2>/dev/null; setsid echo session',
  'flock lock -c "echo locked" && (flock -n 9 && echo got) 9> lock; mktemp -u XXXXXX | wc -c; t=$(mktemp -d) && touch $t/x && ls $t && rm -r $t',
  'TMPDIR=$PWD mktemp -p . file.XXXX >/dev/null && ls file.* | wc -l; rm file.*; echo x > /tmp/ion-corpus-$$ && cat /tmp/ion-corpus-$$ && rm /tmp/ion-corpus-$$; echo s > /dev/shm/ion-corpus-$$ && rm /dev/shm/ion-corpus-$$ && echo shm',
  'echo out > /dev/stdout; echo err > /dev/stderr; echo null > /dev/null; head -c 2 /dev/zero | od -An -c; cat /dev/null | wc -c; ls /dev/fd/ >/dev/null && echo fds; test -w /dev/full && ! echo x > /dev/full',
  'base64 people.csv | base64 -d | cmp - people.csv && md5sum people.csv && sha256sum -b people.csv > sums && sha256sum -c sums; cksum numbers.txt; od -c doc/ünïcode.txt | head -1; xxd people.csv | head -1; iconv -f utf8 -t latin1 doc/ünïcode.txt | wc -c',
  'column -t -s, people.csv; fold -w 10 doc/readme.md | head -2; fmt -w 20 doc/readme.md | head -3; nl logs/error.log; rev logs/error.log; expand -t4 <<< $(printf "a\\tb"); tr a-z A-Z < cities.txt; cat -A cities.txt | head -1; pr -t -2 -w 40 old/a.txt; look err logs/error.log 2>/dev/null; strings zeros.bin | wc -l',
  'date -u -d @0 +%F; date -d "2020-02-28 +2 days" +%F; TZ=America/New_York date -d @0 +%H; cal 2 2020 2>/dev/null | head -1; LC_ALL=C sort -n numbers.txt | head -1; locale | head -1; LC_ALL=de_DE.UTF-8 printf "%s\\n" x',
  {
    command:
      'sqlite3 a.db < schema.sql && sqlite3 a.db "select sum(n) from t" && sqlite3 -json a.db "select * from t limit 1" && sqlite3 a.db .dump | wc -l',
    needs: ['sqlite3'],
  },
  {
    command:
      'sqlite3 a.db < schema.sql; sqlite3 a.db "pragma journal_mode=wal; insert into t(name) values(\'x\'); select count(*) from t; pragma wal_checkpoint;" ".backup b.db" && sqlite3 b.db "pragma integrity_check; vacuum;" && ls *.db*',
    needs: ['sqlite3'],
    varies: ['files'],
  },
  {
    command:
      'sqlite3 a.db "begin; create table x(a); rollback; create table y as select 1 a; begin exclusive; insert into y values(2); commit; select count(*) from y" && sqlite3 -csv -header :memory: "select 1 a, 2 b" && sqlite3 a.db ".mode markdown" "select * from y"',
    needs: ['sqlite3'],
  },
  {
    command:
      'jq -r ".list | add" config.json && jq ".nested.b = 2" config.json > c && mv c config.json && jq -c .nested config.json',
    needs: ['jq'],
  },
  {command: 'rsync -a doc/ mirror/ && rsync -ain --delete doc/ mirror/ && ls -A mirror', needs: ['rsync']},
  {
    command:
      'printf "1,2p\\nq\\n" | ed -s people.csv; printf "1d\\nw\\nq\\n" | ed -s people.csv && head -1 people.csv',
    needs: ['ed'],
  },
  {command: 'vim -u NONE -es -c "%s/error/oops/" -c wq logs/error.log && cat logs/error.log', needs: ['vim']},
  {command: 'file -b people.csv doc/link bin/hello.sh pack.tar.gz', needs: ['file']},
  {
    command:
      'mkdir w && (inotifywait -q -e create --format %e w & for i in $(seq 100); do kill -0 $! 2>/dev/null || break; touch w/$i; sleep 0.1; done; wait); rm w/*',
    needs: ['inotifywait'],
  },
  {command: 'script -qec "test -t 1 && echo on a terminal" /dev/null', needs: ['script']},
  {
    command:
      'tmux -L ion-corpus -f /dev/null new-session -d "echo hi > tmuxed; sleep 5"; for i in $(seq 100); do test -s tmuxed && break; sleep 0.1; done; cat tmuxed; tmux -L ion-corpus kill-server',
    needs: ['tmux'],
  },
  {
    command:
      'openssl rand -hex 4 | wc -c; openssl genrsa -out k.pem 1024 2>/dev/null; openssl req -x509 -new -key k.pem -subj /CN=x -days 1 -out c.pem && openssl x509 -in c.pem -noout -subject; openssl dgst -sha256 people.csv',
    needs: ['openssl'],
    varies: ['files'],
  },
  {
    command:
      'gpg --version | head -1; ssh -V 2>&1 | cut -c1-7; ssh-keygen -q -t ed25519 -N "" -f key && ssh-keygen -lf key.pub | cut -d" " -f1',
    needs: ['gpg', 'ssh-keygen'],
    varies: ['files'],
  },
  'id -u; whoami; groups | wc -w; hostname | wc -l; uname -s; nproc | wc -l; getent passwd root | cut -d: -f1; ulimit -n; tty; pwd; cd / && pwd; cd ~ && ls -d work',
  {
    command:
      'ps -o comm= -p $$; ps aux | grep -c "[b]ash" | sed "s/.*/some/"; pgrep -x no-such | wc -l; free | wc -l; uptime | wc -l; df . | wc -l; du -sb doc | cut -f1; top -b -n 1 | head -1 | cut -c1-3; lscpu | head -1; cat /proc/self/comm; test -r /proc/cpuinfo && echo cpus',
    needs: ['ps', 'top'],
  },
  'for i in $(seq 300); do echo $i > many.$i; done; ls many.* | wc -l; rm many.*; for i in $(seq 100); do /bin/true; done; echo looped',
  {
    command: 'sudo -n true >/dev/null 2>&1 && echo may || echo refused',
    needs: ['sudo'],
    differs: 'nothing gains privileges inside, and root cannot read who may',
    where: ['root', 'root, no namespaces'],
  },
  'docker ps 2>&1 | head -1 | cut -c1-40; mount -t tmpfs x missing 2>/dev/null; test $? != 127 && echo mount answered',
  'man -w ls >/dev/null 2>&1; apropos -s 1 nothing-at-all 2>/dev/null; dpkg -S /bin/ls 2>/dev/null | wc -l; apt-cache policy bash 2>/dev/null | head -1; help cd | head -1; type -a echo | head -1; hash -r; alias x=ls; history | wc -l',
]);
