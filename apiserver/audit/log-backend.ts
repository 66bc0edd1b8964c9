import { writeSync } from 'node:fs';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import { eventLine, legacyLine } from './event.ts';

/** Where lines are written, whole and in order. `write` throws when the line is not written. */
export interface LineSink {
  write(line: Buffer): void;
  /** Resolves when all that follows from the writes is done too. */
  close(): Promise<void>;
}

export interface LogBackendOptions {
  readonly sink: LineSink;
  /** A JSON document a line, or a line of text with less in it. */
  readonly format: 'json' | 'legacy';
  readonly vocabulary: Vocabulary;
  readonly lost: ReportLost;
}

/** One line an event, written before the request goes on. */
export function createLogBackend({ sink, format, vocabulary, lost }: LogBackendOptions): AuditBackend {
  return {
    name: 'audit log',
    process(events) {
      let stored = true;
      for (const event of events)
        try {
          const line = format === 'json' ? eventLine(event, vocabulary) : legacyLine(event);
          sink.write(Buffer.from(`${line}\n`));
        } catch (thrown) {
          stored = false;
          lost('log', thrown, [event]);
        }
      return stored;
    },
    start: () => Promise.resolve(),
    stop: () => sink.close(),
  };
}

const STANDARD_OUTPUT = 1;
/** Milliseconds a reader of standard output may leave it full, and between looks at it. */
const FULL_LIMIT_MS = 1_000;
const LOOK_MS = 5;

/** Lines go out before `write` returns, so that none is lost however the process ends. */
export const createStandardOutputSink = (): LineSink => ({
  write(line) {
    let waitedMs = 0;
    for (let written = 0; written < line.length;) {
      try {
        written += writeSync(STANDARD_OUTPUT, line, written);
      } catch (thrown) {
        const full = thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
        if (!full || waitedMs >= FULL_LIMIT_MS) throw thrown;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
        waitedMs += LOOK_MS;
      }
    }
  },
  close: () => Promise.resolve(),
});
