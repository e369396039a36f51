/**
 * Attacks that change the current folder right before a relative path, as Python code. The supervisor remembers current folders for a
 * few milliseconds. `git` is a git folder whose hooks only the supervisor protects. Exits with 0 when a hook is there.
 */

/** The path means one file in the folder before, and a hook in the next one. */
export const turnTo = (git: string): string => `import os, sys
top = os.getcwd()
os.makedirs("plain/hooks", exist_ok=True)
for _ in range(20):
    try:
        os.chdir(top + "/plain"); open("hooks/turned", "w").close()
        os.chdir(top + "/${git}"); open("hooks/turned", "w").close()
        sys.exit(0)
    except OSError: os.chdir(top)
sys.exit(1)`;

/** The current folder is removed, and a link has its path. */
export const fromRemoved = (git: string): string => `import os, sys, time
top = os.getcwd()
os.makedirs("plain/below", exist_ok=True); os.makedirs("plain/hooks", exist_ok=True)
for _ in range(20):
    place = top + "/${git}/t"
    os.mkdir(place); os.chdir(place); time.sleep(0.006)
    try:
        open("f", "w").close(); os.unlink("f"); os.rmdir(place); os.symlink(top + "/plain/below", place)
        open("../hooks/removed", "w").close()
        if os.path.exists(top + "/${git}/hooks/removed"): sys.exit(0)
    except OSError: pass
    os.chdir(top)
    os.unlink(place)
sys.exit(1)`;
