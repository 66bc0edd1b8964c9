// Runs as a separate process: opens TLS connections to a loopback port, prints their number, and keeps them
// idle. Usage: node idle-peers.js PORT COUNT
import tls from 'node:tls';

const AT_ONCE = 50;
const [port, count] = process.argv.slice(2).map(Number);
const sockets = [];

const open = () =>
  new Promise((resolve, reject) => {
    const socket = tls.connect(
      { host: '127.0.0.1', port, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false },
      resolve,
    );
    socket.once('error', reject);
    sockets.push(socket);
  });

for (let left = count; left > 0; left -= AT_ONCE)
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, open));
process.stdout.write(`${sockets.filter((socket) => !socket.destroyed).length}\n`);
// Exits with its parent.
process.stdin.on('end', () => process.exit()).resume();
