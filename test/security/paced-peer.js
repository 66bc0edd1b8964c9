// Runs as a separate process: sends requests over HTTP/2 at a fixed pace, whether responses arrive or not,
// and prints statistics. Usage: node paced-peer.js PORT WHO PATH EVERY_MS STRETCH_MS; prints {"statuses":
// {"200": 1}, "p99": 1.5}
import http2 from 'node:http2';

const [port, who, path, everyMs, stretchMs] = process.argv.slice(2);
/** Warm-up time in milliseconds, which the statistics exclude: all peers start cold and simultaneously. */
const WARM_MS = 4_000;
/** Several sessions, so that the limit of streams per connection does not throttle the flood. */
const SESSIONS = Number(everyMs) < 5 ? 20 : 1;
const sessions = Array.from({ length: SESSIONS }, () =>
  http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false }),
);
await Promise.all(sessions.map((session) => new Promise((resolve) => session.once('connect', resolve))));

const statuses = {};
const waits = [];
let open = 0;
const ask = (session) => {
  const started = performance.now();
  const stream = session.request({ ':path': path, user: who });
  let status = 0;
  open += 1;
  stream.on('response', (head) => (status = head[':status']));
  stream.on('error', () => {});
  stream.resume();
  stream.on('close', () => {
    open -= 1;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (started - began > WARM_MS) waits.push(performance.now() - started);
  });
};

const began = performance.now();
let asked = 0;
const pace = setInterval(() => {
  const elapsed = Math.min(performance.now() - began, Number(stretchMs));
  for (; asked < elapsed / Number(everyMs); asked++) ask(sessions[asked % SESSIONS]);
  if (elapsed < Number(stretchMs)) return;
  clearInterval(pace);
  const done = setInterval(() => {
    if (open > 0) return;
    clearInterval(done);
    waits.sort((a, b) => a - b);
    process.stdout.write(
      JSON.stringify({
        statuses,
        p99: waits[Math.floor(waits.length * 0.99)],
        median: waits[waits.length >> 1],
      }),
    );
    process.exit();
  }, 10);
}, 1);
