import { type EventType, eventTypes } from '../plan/plan.ts';
import type { PassingEvent } from '../plan/matching.ts';

const LINE_FEED = 0x0a;
/** Maximum size of a frame in bytes, well above the largest object that a server stores. */
const LONGEST_BYTES = 32 * 1024 * 1024;

/** Splitter of a watch's bytes into events, one JSON object per line. */
export interface FrameSplitter {
  /** Returns the frames that a chunk completes, each with its line feed. Throws if a frame is too long. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** Returns the bytes of the incomplete frame. */
  rest(): Uint8Array;
}

export function createFrameSplitter(): FrameSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  return {
    push(chunk) {
      const frames: Uint8Array[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        const last = chunk.subarray(from, end + 1);
        frames.push(held.length === 0 ? last : Buffer.concat([...held, last]));
        held = [];
        heldBytes = 0;
        from = end + 1;
      }
      if (from < chunk.length) {
        held.push(chunk.subarray(from));
        heldBytes += chunk.length - from;
      }
      if (heldBytes > LONGEST_BYTES)
        throw new Error(`an event of a watch is longer than ${LONGEST_BYTES} bytes`);
      return frames;
    },
    rest: () => Buffer.concat(held),
  };
}

interface Event {
  readonly type?: string;
  readonly object?: {
    readonly metadata?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly resourceVersion?: string;
    };
  };
}

/** Returns the event in a frame. Undefined if the frame contains no event. */
export function readEvent(frame: Uint8Array): PassingEvent | undefined {
  let event: Event | null;
  try {
    event = JSON.parse(Buffer.from(frame.buffer, frame.byteOffset, frame.length).toString()) as Event | null;
  } catch {
    return undefined;
  }
  const type: EventType | undefined = eventTypes.find((each) => each === event?.type);
  if (type === undefined) return undefined;
  const { namespace = '', name = '', resourceVersion } = event?.object?.metadata ?? {};
  const revision = Number(resourceVersion ?? Number.NaN);
  return { type, namespace, name, ...(Number.isSafeInteger(revision) && { revision }) };
}
