"""Starts a program with one of its standard streams as the doctor's attacks are given them (src/session/given-streams.ts)."""
import os, socket, subprocess, sys

kind, *argv = sys.argv[1:]
streams, kept = {}, []
if kind == 'piped':
    streams['stdin'], writes = os.pipe()
    kept.append(writes)
elif kind == 'reader':
    reads, streams['stdout'] = os.pipe()
    os.write(streams['stdout'], b'secret')
    kept.append(reads)
elif kind == 'removed':
    # In the folder where a shell makes its here-documents, which the run may write.
    name = f'/tmp/ion-test-removed-{os.getpid()}'
    with open(name, 'x') as file: file.write('text\n')
    streams['stdin'] = os.open(name, os.O_RDONLY)
    os.unlink(name)
elif kind == 'log':
    streams['stdout'] = os.open(os.environ['OUTSIDE'], os.O_WRONLY | os.O_APPEND)
elif kind == 'read-log':
    streams['stdout'] = os.open(os.environ['OUTSIDE'], os.O_RDWR | os.O_APPEND)
elif kind == 'connection':
    server = socket.create_server(('127.0.0.1', 0))
    streams['stdin'] = socket.create_connection(server.getsockname())
    kept.append(server.accept())
elif kind == 'datagrams':
    streams['stdin'] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
elif kind == 'unconnected':
    streams['stdin'] = socket.socket()
sys.exit(subprocess.call(argv, **streams))
