import {rowsOf} from '../row.ts';

export const cRows = rowsOf('write', 'c', [
  'make && ./main',
  'make -s -j4 all test',
  'make test && make clean && ls',
  'make -n all && make -q all; echo "rc $?"',
  'make fail; echo "rc $?"',
  'make DESTDIR=$PWD/out install && find out -type f',
  'make SHELL=/bin/bash -s && touch sum.h && make | wc -l',
  'gcc -O2 -o m main.c sum.c && ./m && file -b m | cut -d, -f1',
  'gcc -c bad.c; echo "rc $?"',
  'gcc -E main.c | tail -1 && gcc -S sum.c && wc -l < sum.s | grep -c .',
  'gcc -pipe -g -o m main.c sum.c && gcc -shared -fPIC -o libsum.so sum.c && gcc -o d main.c -L. -lsum -Wl,-rpath,$PWD && ./d',
  'gcc -flto -O2 -o m main.c sum.c && strip m && ./m',
  'gcc -fsanitize=address,undefined -o a main.c sum.c && ./a',
  'gcc -MMD -c sum.c && cat sum.d && ar rcs libsum.a sum.o && ranlib libsum.a && nm libsum.a | grep sum',
  {command: 'g++ -O1 -o h hello.cc -pthread && ./h', slow: true},
  {
    command: 'echo "int main(){return 5;}" | gcc -x c - -o x; ./x; echo "rc $?"; objdump -d x | grep -c main',
    slow: true,
  },
  {
    command: 'gcc -g -o m main.c sum.c && gdb -batch -ex run -ex "print 1+1" ./m 2>/dev/null | tail -1',
    needs: ['gdb'],
    slow: true,
  },
  {command: 'gcc -O1 --coverage -o m main.c sum.c && ./m && gcov -n m-sum.gcda | head -2', varies: ['files']},
  {
    command: 'strace -f -o trace gcc -c sum.c && test -s trace && ls sum.o',
    needs: ['strace'],
    varies: ['files'],
    slow: true,
  },
  {
    command: 'cmake -S . -B build >/dev/null && cmake --build build 2>&1 | tail -1 && ./build/main',
    slow: true,
    needs: ['cmake'],
    varies: ['files'],
  },
  {
    command:
      'cmake -G Ninja -S . -B build >/dev/null && ninja -C build >/dev/null && (cd build && ctest 2>&1 | grep "tests passed") && cmake --install build --prefix out && out/bin/main',
    needs: ['cmake', 'ninja'],
    varies: ['files'],
  },
  {
    command: 'cmake -E tar czf a.tgz sum.c sum.h && cmake -E touch x && cmake -E sha1sum sum.c && ls',
    needs: ['cmake'],
    varies: ['files'],
  },
  'pkg-config --version >/dev/null 2>&1; cc --version | head -1 && ld --version | head -1 && as --version | head -1',
]);

export const rustRows = rowsOf('write', 'rust', [
  {
    command:
      'cargo --version && cargo metadata --offline --format-version 1 --no-deps | jq -r ".packages[].name"',
    needs: ['jq'],
  },
  {command: 'cargo run --offline -q', varies: ['files']},
  {
    command: 'cargo check --offline -q && cargo build --offline 2>&1 | tail -1 && ./target/debug/demo',
    varies: ['files'],
    slow: true,
  },
  {
    command: 'cargo test --offline -q 2>/dev/null | grep "test result" | head -1',
    varies: ['files'],
    slow: true,
  },
  {command: 'cargo new --vcs none fresh -q 2>/dev/null; ls fresh; cargo clean -q', varies: ['files']},
  {command: 'rustc -o m helper/src/lib.rs --crate-type lib && ls m', varies: ['files']},
]);

export const javaRows = rowsOf('write', 'java', [
  {command: 'javac Main.java && java -cp . Main', slow: true},
  {command: 'java Main.java', slow: true},
  {
    command: 'javac Main.java && jar cfe m.jar Main Main.class && java -jar m.jar && jar tf m.jar',
    varies: ['files'],
    slow: true,
  },
  {
    command: 'java Loop.java',
    slow: true,
    config: '[sandbox]\nnetwork = "loopback"\n',
  },
  'java -XX:+UsePerfData -Xmx64m -XshowSettings:vm -version 2>&1 | head -1',
  {command: 'javac Main.java && java -cp . Main > out & wait; cat out', slow: true},
]);

export const goRows = rowsOf('write', 'go', [
  {
    command:
      'export GOCACHE=$PWD/.cache GOFLAGS=-mod=mod; go build -o demo . && ./demo && go vet . && gofmt -l .; rm -rf .cache',
    varies: ['files'],
    slow: true,
  },
  {
    command: 'export GOCACHE=$PWD/.cache; go test ./... | cut -f1,2; rm -rf .cache',
    varies: ['files'],
    slow: true,
  },
  'go version && GOCACHE=/tmp/ion-corpus-go go env GOOS GOARCH',
]);
