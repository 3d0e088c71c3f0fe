// Loaded into the demo's service ahead of its own code. The end of standard input is the demo's way to stop it, and what
// the kernel does when the demo is killed: no service stays behind, and it always stops in order.
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
