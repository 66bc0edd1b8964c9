import { writeSync } from 'node:fs';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import { eventLine, legacyLine } from './event.ts';

/** Destination of log lines, which are written whole and in order. `write` throws if it fails. */
export interface LineSink {
  write(line: Buffer): void;
  /** Resolves when all work started by `write` is done. */
  close(): Promise<void>;
}

/** Destination and format of an audit log. */
export interface LogBackendOptions {
  readonly sink: LineSink;
  /** Line format: one JSON document per event, or upstream's shorter legacy text. */
  readonly format: 'json' | 'legacy';
  readonly vocabulary: Vocabulary;
  readonly lost: ReportLost;
}

/** Creates a back end that writes one line per event before the request continues. */
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
/** Maximum time in milliseconds that a write waits for space in a full standard output. */
const FULL_LIMIT_MS = 1_000;
const RETRY_MS = 5;

/**
 * Creates a sink that writes each line before `write` returns, so that no line is lost however the process
 * exits.
 */
export const createStandardOutputSink = (): LineSink => ({
  write(line) {
    let waitedMs = 0;
    for (let written = 0; written < line.length;) {
      try {
        written += writeSync(STANDARD_OUTPUT, line, written);
      } catch (thrown) {
        const full = thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN';
        if (!full || waitedMs >= FULL_LIMIT_MS) throw thrown;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
        waitedMs += RETRY_MS;
      }
    }
  },
  close: () => Promise.resolve(),
});
