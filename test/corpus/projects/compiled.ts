import type {Project} from '../projects.ts';

export const c: Project = {
  needs: ['gcc', 'make'],
  files: {
    'main.c':
      '#include <stdio.h>\n#include "sum.h"\nint main(int argc, char **argv) { (void)argv; printf("%d\\n", sum(40, argc + 1)); return 0; }\n',
    'sum.c': '#include "sum.h"\nint sum(int a, int b) { return a + b; }\n',
    'sum.h': 'int sum(int a, int b);\n',
    'test.c': '#include <assert.h>\n#include "sum.h"\nint main(void) { assert(sum(1, 2) == 3); return 0; }\n',
    'hello.cc':
      '#include <iostream>\n#include <thread>\nint main() { std::thread t([] { std::cout << "thread\\n"; }); t.join(); }\n',
    'bad.c': 'int main(void) { return missing; }\n',
    Makefile:
      'CFLAGS = -O1 -Wall\nall: main\nmain: main.o sum.o\n\t$(CC) -o $@ $^\n%.o: %.c sum.h\n\t$(CC) $(CFLAGS) -c -o $@ $<\ntest: test.o sum.o\n\t$(CC) -o test $^\n\t./test && echo passed\nclean:\n\trm -f *.o main test\ninstall: main\n\tinstall -D -m 755 main $(DESTDIR)/usr/bin/main\nfail:\n\tfalse\n.PHONY: all clean install fail\n',
    'CMakeLists.txt':
      'cmake_minimum_required(VERSION 3.10)\nproject(demo C)\nadd_library(sum STATIC sum.c)\nadd_executable(main main.c)\ntarget_link_libraries(main sum)\nenable_testing()\nadd_executable(t test.c)\ntarget_link_libraries(t sum)\nadd_test(NAME t COMMAND t)\ninstall(TARGETS main DESTINATION bin)\n',
  },
};

export const rust: Project = {
  needs: ['cargo'],
  files: {
    'Cargo.toml':
      '[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n[dependencies]\nhelper = { path = "helper" }\n[workspace]\nmembers = ["helper"]\n',
    'build.rs':
      'use std::{env, fs, path::Path};\nfn main() {\n    let out = env::var("OUT_DIR").unwrap();\n    fs::write(Path::new(&out).join("made.rs"), "pub const MADE: &str = \\"made\\";").unwrap();\n    println!("cargo:rerun-if-changed=build.rs");\n}\n',
    'src/main.rs':
      'include!(concat!(env!("OUT_DIR"), "/made.rs"));\nfn main() { println!("{} {}", MADE, helper::twice(21)); }\n#[test]\nfn works() { assert_eq!(helper::twice(1), 2); }\n',
    'helper/Cargo.toml': '[package]\nname = "helper"\nversion = "0.1.0"\nedition = "2021"\n',
    'helper/src/lib.rs': 'pub fn twice(n: i32) -> i32 { n * 2 }\n',
  },
};

export const java: Project = {
  needs: ['java', 'javac'],
  files: {
    'Main.java':
      'import java.net.*;\npublic class Main {\n  public static void main(String[] args) throws Exception {\n    System.out.println("java " + Runtime.getRuntime().availableProcessors());\n    var pool = java.util.concurrent.Executors.newFixedThreadPool(2);\n    System.out.println(pool.submit(() -> "pooled").get());\n    pool.shutdown();\n    System.out.println(ProcessHandle.current().isAlive());\n  }\n}\n',
    'Loop.java':
      'import java.net.*;\npublic class Loop {\n  public static void main(String[] args) throws Exception {\n    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); var client = new Socket(server.getInetAddress(), server.getLocalPort()); var peer = server.accept()) {\n      client.getOutputStream().write(65);\n      System.out.println((char) peer.getInputStream().read());\n    }\n  }\n}\n',
  },
};

export const go: Project = {
  needs: ['go'],
  files: {
    'go.mod': 'module demo\n\ngo 1.19\n',
    'main.go':
      'package main\n\nimport "fmt"\n\nfunc sum(a, b int) int { return a + b }\n\nfunc main() { fmt.Println(sum(40, 2)) }\n',
    'main_test.go':
      'package main\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif sum(1, 2) != 3 {\n\t\tt.Fatal("sum")\n\t}\n}\n',
  },
};
