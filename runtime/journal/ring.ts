import type { JournalEntry, JournalEvent } from './entry.ts';

/** Maximum number of entries per part of the ring. */
const PART = 2_048;

/** Columns of strings: first the fields of the entry, then the fields of its cause or request. */
const KIND = 0;
const CONTROLLER = 1;
const KEY = 2;
const RECONCILE_ID = 3;
const STATE = 4;
const OUTCOME = 5;
const EVENT = 6;
const REASON = 7;
const ERROR = 8;
const CAUSE_TYPE = 9;
const VERB = 10;
const RESOURCE = 11;
const OBJECT = 12;
const VERSION_OR_CODE = 13;
const TEXTS = 14;

/** Columns of numbers; NaN stands for a missing value. */
const AT = 0;
const MS = 1;
const NEXT = 2;
const RETRIES = 3;
const BYTES = 4;
const NUMBERS = 5;

/** Part of the ring, whose arrays grow up to `PART` entries. */
interface Part {
  readonly texts: (string | undefined)[];
  readonly numbers: number[];
}

/**
 * The last entries, stored in columns. Entries stored as objects would survive young-generation collections,
 * be copied, and then become garbage in the old generation, which costs more than writing columns.
 */
export class JournalRing {
  readonly #places: number;
  readonly #parts: (Part | undefined)[] = [];

  /** @param places maximum number of entries */
  constructor(places: number) {
    this.#places = places;
  }

  /**
   * Stores an entry in place of the oldest entry.
   * @param bytes size of the entry, which `drop` returns
   */
  put(seq: number, atMs: number, event: JournalEvent, bytes: number): void {
    const place = this.#placeOf(seq);
    const { texts, numbers } = this.#partAt(place);
    putTexts(texts, (place % PART) * TEXTS, event);
    const { ms = NaN, nextMs = NaN, retries = NaN } = event;
    const row = (place % PART) * NUMBERS;
    numbers[row + AT] = atMs;
    numbers[row + MS] = ms;
    numbers[row + NEXT] = nextMs;
    numbers[row + RETRIES] = retries;
    numbers[row + BYTES] = bytes;
  }

  /** Returns the entry with this number, which must exist. */
  get(seq: number): JournalEntry {
    const place = this.#placeOf(seq);
    const { texts, numbers } = this.#partAt(place);
    const row = (place % PART) * NUMBERS;
    const number = (column: number): number | undefined => {
      const value = numbers[row + column];
      return Number.isNaN(value) ? undefined : value;
    };
    const from = (place % PART) * TEXTS;
    const read = readTexts(texts.slice(from, from + TEXTS));
    const [ms, nextMs, retries] = [number(MS), number(NEXT), number(RETRIES)];
    return {
      seq,
      atMs: number(AT) ?? 0,
      ...read,
      ...(ms === undefined ? {} : { ms }),
      ...(retries === undefined ? {} : { retries }),
      ...(nextMs === undefined ? {} : { nextMs }),
    };
  }

  /** True if the entry with this number matches. An undefined argument matches any value. */
  isOf(seq: number, controller: string | undefined, key: string | undefined): boolean {
    const place = this.#placeOf(seq);
    const { texts } = this.#partAt(place);
    const row = (place % PART) * TEXTS;
    return (
      (controller === undefined || texts[row + CONTROLLER] === controller) &&
      (key === undefined || texts[row + KEY] === key)
    );
  }

  /** Clears the entry with this number, which must exist, and returns its `bytes`. */
  drop(seq: number): number {
    const place = this.#placeOf(seq);
    const { texts, numbers } = this.#partAt(place);
    const from = (place % PART) * TEXTS;
    texts.fill(undefined, from, from + TEXTS);
    return numbers[(place % PART) * NUMBERS + BYTES] ?? 0;
  }

  #placeOf(seq: number): number {
    return (seq - 1) % this.#places;
  }

  #partAt(place: number): Part {
    const at = Math.floor(place / PART);
    return (this.#parts[at] ??= { texts: [], numbers: [] });
  }
}

/** Writes all string columns of a row, because the row may have values of an earlier entry. */
function putTexts(texts: Part['texts'], row: number, event: JournalEvent): void {
  const { cause, request } = event;
  texts[row + KIND] = event.kind;
  texts[row + CONTROLLER] = event.controller;
  texts[row + KEY] = event.key;
  texts[row + RECONCILE_ID] = event.reconcileId;
  texts[row + STATE] = event.state;
  texts[row + OUTCOME] = event.outcome;
  texts[row + EVENT] = event.event;
  texts[row + REASON] = event.reason;
  texts[row + ERROR] = event.error;
  texts[row + CAUSE_TYPE] = cause?.type;
  texts[row + VERB] = request?.verb;
  texts[row + RESOURCE] = (cause ?? request)?.resource;
  texts[row + OBJECT] = (cause ?? request)?.object;
  texts[row + VERSION_OR_CODE] = cause === undefined ? request?.code : cause.resourceVersion;
}

/** Returns the event in the string columns of a row, without fields that have no value. */
function readTexts(texts: Part['texts']): JournalEvent {
  const read: Record<string, unknown> = {};
  NAMES.forEach((name, column) => {
    if (texts[column] !== undefined) read[name] = texts[column];
  });
  const { [RESOURCE]: resource, [OBJECT]: object, [VERSION_OR_CODE]: last } = texts;
  const { [CAUSE_TYPE]: type, [VERB]: verb } = texts;
  if (type !== undefined)
    read['cause'] = { type, resource, object, ...(last === undefined ? {} : { resourceVersion: last }) };
  else if (verb !== undefined) read['request'] = { verb, resource, object, code: last };
  return read as unknown as JournalEvent;
}

/** Field names of the first string columns. */
const NAMES = [
  'kind',
  'controller',
  'key',
  'reconcileId',
  'state',
  'outcome',
  'event',
  'reason',
  'error',
] as const;
