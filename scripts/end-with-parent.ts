// Loaded into a service ahead of its own code, by a program that starts it for itself. The end of standard input is that
// program's way to stop the service, and what the kernel does when the program is killed: no service stays behind.
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
