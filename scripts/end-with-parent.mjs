// Preloaded into a child process. It gets SIGTERM at the end of its standard input, which its parent closes to stop it, and
// which the kernel closes when the parent is killed: no child outlives its parent. It has no types: for them Node.js would
// load 20 MB into each child.
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
