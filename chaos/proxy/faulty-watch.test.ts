import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { BodySink } from '../../base/http/message.ts';
import type { PassingEvent } from '../plan/matching.ts';
import type { Strike } from '../plan/strikes.ts';
import type { WireFault } from '../plan/wire-faults.ts';
import { createFaultyWatch } from './faulty-watch.ts';

const strike = (fault: WireFault, lastsMs?: number): Strike => ({
  fault,
  lastsMs,
  retryAfterSeconds: 0,
  code: 0,
  back: 0,
});
const frame = (name: string): Uint8Array =>
  Buffer.from(`${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`);

/**
 * Creates a watch whose client records events and times. @param faults faults by the name of the object; ''
 * for the opening of the watch
 */
function start(faults: Readonly<Record<string, Strike>>, isJson = true) {
  const clock = createSimulatedClock();
  const received: string[] = [];
  const note = (what: string): void => void received.push(`${clock.monotonic()} ${what}`);
  const closing: (() => void)[] = [];
  const drains: (() => void)[] = [];
  const client = { isSlow: false };
  let closed = false;
  const leave = (): void => {
    if (closed) return;
    closed = true;
    for (const run of closing) run();
  };
  const target: BodySink = {
    write(chunk) {
      const text = Buffer.from(chunk).toString();
      note(
        isJson
          ? ((JSON.parse(text) as { object: { metadata?: { name?: string } } }).object.metadata?.name ??
              'error')
          : text,
      );
      return !client.isSlow;
    },
    onDrain: (run) => void drains.push(run),
    onClose: (run) => void closing.push(run),
    end() {
      note('end');
      leave();
    },
    get closed() {
      return closed;
    },
  };
  const drop = (): void => {
    note('break');
    leave();
  };
  const decide = ({ name }: PassingEvent): Strike | undefined => faults[name];
  const watch = createFaultyWatch({ target, isJson, clock, decide, drop });
  return { clock, received, watch, leave, client, drains };
}

describe('a watch with faults', () => {
  it('keeps the order of events under a delay, and ends after the delayed events', async () => {
    const { clock, received, watch } = start({ a: strike('late-events', 500) });
    watch.write(frame('a'));
    await clock.advance(100);
    watch.write(frame('b'));
    watch.end();
    await clock.advance(1_000);
    expect(received).toEqual(['500 a', '500 b', '500 end']);
    expect(watch.closed).toBe(true);
  });

  it('repeats an event before the next one', async () => {
    const { clock, received, watch } = start({ a: strike('repeated-event', 50) });
    watch.write(Buffer.concat([frame('a'), frame('b')]));
    await clock.advance(100);
    expect(received).toEqual(['0 a', '50 a', '50 b']);
  });

  it('drops events until it reports that its version expired', async () => {
    const { clock, received, watch } = start({ a: strike('expired-watch', 300) });
    watch.write(frame('a'));
    watch.write(frame('b'));
    await clock.advance(1_000);
    expect(received).toEqual(['300 error', '300 end']);
  });

  it('sends nothing after it falls silent, not even the end of the stream', async () => {
    const { clock, received, watch } = start({ b: strike('silent-watch') });
    watch.write(Buffer.concat([frame('a'), frame('b'), frame('c')]));
    watch.end();
    await clock.advance(3_600_000);
    expect(received).toEqual(['0 a']);
    expect(watch.closed).toBe(false);
  });

  it("breaks before the event and closes the server's side", () => {
    const { received, watch } = start({ b: strike('cut-watch') });
    let isClosed = false;
    watch.onClose(() => (isClosed = true));
    watch.write(Buffer.concat([frame('a'), frame('b'), frame('c')]));
    expect(received).toEqual(['0 a', '0 break']);
    expect([isClosed, watch.write(frame('d'))]).toEqual([true, false]);
  });

  it('waits once for a slow client, even if many events arrive', () => {
    const { watch, client, drains } = start({});
    client.isSlow = true;
    expect(watch.write(Buffer.concat([frame('a'), frame('b'), frame('c')]))).toBe(false);
    expect(drains.length).toBe(1);
    client.isSlow = false;
    drains[0]?.();
    expect(watch.write(frame('d'))).toBe(true);
  });

  it('leaves no timer when its client disconnects', async () => {
    const { clock, received, watch, leave } = start({ a: strike('late-events', 500) });
    watch.write(frame('a'));
    leave();
    expect(clock.pending).toBe(0);
    await clock.advance(1_000);
    expect(received).toEqual([]);
  });

  it('forwards unreadable chunks unchanged, and breaks if it cannot report an expired version', () => {
    const { received, watch } = start({}, false);
    watch.write(Buffer.from('half a fra'));
    watch.write(Buffer.from('me'));
    expect(received).toEqual(['0 half a fra', '0 me']);
    const struck = start({ '': strike('expired-watch', 10) }, false);
    expect(struck.received).toEqual(['0 break']);
  });
});
