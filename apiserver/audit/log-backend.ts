import { writeSync } from 'node:fs';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import { eventLine, legacyLine } from './event.ts';

/** Destination of whole lines, kept in order. `write` throws if the line could not be written. */
export interface LineSink {
  write(line: Buffer): void;
  /** Resolves when all work started by the writes is done. */
  close(): Promise<void>;
}

/** Destination and format of an audit log. */
export interface LogBackendOptions {
  readonly sink: LineSink;
  /** One JSON document a line, or the shorter legacy text. */
  readonly format: 'json' | 'legacy';
  readonly vocabulary: Vocabulary;
  readonly lost: ReportLost;
}

/** Creates a back end that writes one line an event before the request continues. */
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
/** Milliseconds for which standard output may stay full, and the pause between two attempts. */
const FULL_LIMIT_MS = 1_000;
const RETRY_MS = 5;

/** Creates a sink that writes lines before `write` returns, so that none is lost however the process ends. */
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
