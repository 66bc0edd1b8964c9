import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import { AUDIT_GROUP, type AuditEvent, eventLine } from './event.ts';
import { isAtLeast } from './trail.ts';

/** Back end and size limits for the truncation of events. */
export interface TruncationOptions {
  readonly backend: AuditBackend;
  readonly vocabulary: Vocabulary;
  readonly lost: ReportLost;
  /**
   * Maximum size of one event in bytes. A larger event loses its request and response objects, and is dropped
   * if it is still too large.
   */
  readonly maxEventBytes: number;
  /** Maximum size of one batch of events, in bytes. */
  readonly maxBatchBytes: number;
}

/** Creates a back end that keeps the size of events and batches within the limits of another back end. */
export function createTruncation(options: TruncationOptions): AuditBackend {
  const { backend, vocabulary, lost, maxEventBytes, maxBatchBytes } = options;
  const sizeOf = (event: AuditEvent): number => Buffer.byteLength(eventLine(event, vocabulary));
  const mark = vocabulary.groupKey(AUDIT_GROUP, 'truncated');

  function fitting(event: AuditEvent): { readonly event: AuditEvent; readonly bytes: number } {
    const bytes = sizeOf(event);
    if (bytes <= maxEventBytes || !isAtLeast(event.level, 'Request')) return { event, bytes };
    const short = withoutObjects(event, mark);
    return { event: short, bytes: sizeOf(short) };
  }

  return {
    name: backend.name,
    process(events) {
      const batches: AuditEvent[][] = [];
      const tooLarge: AuditEvent[] = [];
      let room = 0;
      for (const each of events) {
        const { event, bytes } = fitting(each);
        if (bytes > maxEventBytes) {
          tooLarge.push(event);
          continue;
        }
        const batch = batches.at(-1);
        if (batch === undefined || bytes > room) {
          batches.push([event]);
          room = maxBatchBytes - bytes;
        } else {
          batch.push(event);
          room -= bytes;
        }
      }
      if (tooLarge.length > 0)
        lost('truncate', new Error('event is too large even after truncating'), tooLarge);
      return inTurn(backend, batches);
    },
    start: () => backend.start(),
    stop: () => backend.stop(),
  };
}

/** Forwards batches one after another. Returns synchronously if the back end returns synchronously. */
function inTurn(
  backend: AuditBackend,
  batches: readonly (readonly AuditEvent[])[],
): boolean | Promise<boolean> {
  let stored = true;
  for (const [at, batch] of batches.entries()) {
    const outcome = backend.process(batch);
    if (typeof outcome !== 'boolean') return remainingInTurn(backend, batches.slice(at + 1), stored, outcome);
    stored &&= outcome;
  }
  return stored;
}

async function remainingInTurn(
  backend: AuditBackend,
  batches: readonly (readonly AuditEvent[])[],
  before: boolean,
  first: Promise<boolean>,
): Promise<boolean> {
  let stored = (await first) && before;
  for (const batch of batches) stored = (await backend.process(batch)) && stored;
  return stored;
}

function withoutObjects(
  { requestObject: _request, responseObject: _response, ...event }: AuditEvent,
  mark: string,
): AuditEvent {
  return { ...event, annotations: { ...event.annotations, [mark]: 'true' } };
}
