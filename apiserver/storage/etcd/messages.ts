import {
  BYTES,
  BackwardWriter,
  type Reader,
  VARINT,
  createReader,
  readInt64,
  visitFields,
} from '../../../api/protobuf/index.ts';

/**
 * Messages of etcd's API (v3, `etcdserverpb` and `mvccpb`), with only the fields that the store uses.
 * Revisions are integers below 2^53. See
 * https://github.com/etcd-io/etcd/blob/release-3.5/api/etcdserverpb/rpc.proto.
 */

export interface KeyValue {
  readonly key: string;
  readonly modRevision: number;
  readonly value: Buffer;
}

export interface RangeRequest {
  readonly key: string;
  /** End of the range, exclusive. Default: the range contains `key` alone. */
  readonly end?: Buffer;
  readonly limit?: number;
  /** Revision to read at. Default: the newest. */
  readonly revision?: number;
  /** True to return the revision without items. */
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  /** Revision of the whole store at the time of the read. */
  readonly revision: number;
  readonly items: readonly KeyValue[];
  readonly more: boolean;
}

export interface Condition {
  readonly key: string;
  /** Revision of the key's last write; 0 if the key must not exist. */
  readonly modRevision: number;
}

/** Operation of a transaction: a put, or a deletion if `value` is undefined. */
export interface Operation {
  readonly key: string;
  readonly value: Buffer | undefined;
}

export interface TxnRequest {
  readonly conditions: readonly Condition[];
  /** Executed if all conditions hold. The response contains the value that the first operation replaced. */
  readonly operations: readonly [Operation, ...(readonly Operation[])];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** Entry of the first operation's key before the transaction. */
  readonly before: KeyValue | undefined;
  /** Entries of the conditions' keys, in order, if the transaction did not succeed. */
  readonly found: readonly (KeyValue | undefined)[];
}

export interface WatchRequest {
  readonly key: string;
  readonly end: Buffer;
  /** First revision whose changes are sent. */
  readonly from: number;
}

export interface WatchedChange {
  readonly type: 'put' | 'delete';
  /** The changed entry. For a deletion it has no value. */
  readonly entry: KeyValue;
}

export interface WatchResponse {
  readonly canceled: boolean;
  /** Oldest available revision if it is later than the requested start, else 0. */
  readonly compactRevision: number;
  readonly reason: string;
  readonly changes: readonly WatchedChange[];
}

/** Returns a field's tag, which combines its number and wire type. */
const tag = (number: number, wire: number): number => number * 8 + wire;

function writeNumber(writer: BackwardWriter, number: number, value: number | undefined): void {
  if (value === undefined || value === 0) return;
  writer.varint(value);
  writer.varint(tag(number, VARINT));
}

function writeBytes(writer: BackwardWriter, number: number, value: string | Buffer | undefined): void {
  if (value === undefined || value.length === 0) return;
  const from = writer.size;
  if (typeof value === 'string') writer.text(value);
  else writer.bytes(value);
  writer.wrap(tag(number, BYTES), from);
}

/** Writes a nested message, even if it is empty. */
function writeMessage(writer: BackwardWriter, number: number, write: () => void): void {
  const from = writer.size;
  write();
  writer.wrap(tag(number, BYTES), from);
}

function encode(write: (writer: BackwardWriter) => void): Buffer {
  const writer = new BackwardWriter();
  write(writer);
  return writer.finish();
}

/**
 * Writes the fields of a range request from last to first, as `BackwardWriter` fills its buffer from the end.
 */
function writeRange(writer: BackwardWriter, request: RangeRequest): void {
  writeNumber(writer, 9, request.countOnly === true ? 1 : 0);
  writeNumber(writer, 4, request.revision);
  writeNumber(writer, 3, request.limit);
  writeBytes(writer, 2, request.end);
  writeBytes(writer, 1, request.key);
}

export const encodeRange = (request: RangeRequest): Buffer => encode((writer) => writeRange(writer, request));

const OP_RANGE = 1;
const OP_PUT = 2;
const OP_DELETE = 3;
const COMPARE_MOD = 2;

function writeOperation(writer: BackwardWriter, { key, value }: Operation): void {
  if (value === undefined)
    writeMessage(writer, OP_DELETE, () => {
      writeNumber(writer, 3, 1);
      writeBytes(writer, 1, key);
    });
  else
    writeMessage(writer, OP_PUT, () => {
      writeNumber(writer, 4, 1);
      writeBytes(writer, 2, value);
      writeBytes(writer, 1, key);
    });
}

/**
 * Encodes a transaction that compares the revisions of keys. If a revision differs, etcd reads the keys
 * instead.
 */
export function encodeTxn({ conditions, operations }: TxnRequest): Buffer {
  return encode((writer) => {
    for (const condition of conditions.toReversed())
      writeMessage(writer, 3, () => writeMessage(writer, OP_RANGE, () => writeRange(writer, condition)));
    for (const operation of operations.toReversed())
      writeMessage(writer, 2, () => writeOperation(writer, operation));
    for (const condition of conditions.toReversed())
      writeMessage(writer, 1, () => {
        // Written even if it is 0: a comparison without this field would compare nothing.
        writer.varint(condition.modRevision);
        writer.varint(tag(6, VARINT));
        writeBytes(writer, 3, condition.key);
        writeNumber(writer, 2, COMPARE_MOD);
      });
  });
}

export const encodeCompaction = (revision: number): Buffer =>
  encode((writer) => writeNumber(writer, 1, revision));

export const encodeWatch = ({ key, end, from }: WatchRequest): Buffer =>
  encode((writer) =>
    writeMessage(writer, 1, () => {
      writeNumber(writer, 3, from);
      writeBytes(writer, 2, end);
      writeBytes(writer, 1, key);
    }),
  );

const sliceOf = (reader: Reader, end: number): Buffer => reader.bytes.subarray(reader.at, end);

/** Reads a `KeyValue`: `key` = 1, `mod_revision` = 3, `value` = 5. The value is a view of the message. */
function readKeyValue(reader: Reader, end: number): KeyValue {
  let key = '';
  let modRevision = 0;
  let value: Buffer = Buffer.alloc(0);
  visitFields(reader, end, (number, _wire, to) => {
    if (number === 1) key = sliceOf(reader, to).toString('utf8');
    else if (number === 3) modRevision = readInt64(reader, to);
    else if (number === 5) value = sliceOf(reader, to);
    else return false;
    return true;
  });
  return { key, modRevision, value };
}

/** Reads a `ResponseHeader`: `revision` = 3. */
function readHeader(reader: Reader, end: number): number {
  let revision = 0;
  visitFields(reader, end, (number, _wire, to) => {
    if (number !== 3) return false;
    revision = readInt64(reader, to);
    return true;
  });
  return revision;
}

function readRange(reader: Reader, end: number): RangeResponse {
  let revision = 0;
  const items: KeyValue[] = [];
  let more = false;
  visitFields(reader, end, (number, _wire, to) => {
    if (number === 1) revision = readHeader(reader, to);
    else if (number === 2) items.push(readKeyValue(reader, to));
    else if (number === 3) more = readInt64(reader, to) !== 0;
    else return false;
    return true;
  });
  return { revision, items, more };
}

export const decodeRange = (message: Buffer): RangeResponse =>
  readRange(createReader(message), message.length);

/** Reads `prev_kv` = 2 of a put response, or `prev_kvs` = 3 of a deletion response. */
function readPrevious(reader: Reader, end: number): KeyValue | undefined {
  let previous: KeyValue | undefined;
  visitFields(reader, end, (number, wire, to) => {
    if (wire !== BYTES || number === 1) return false;
    previous = readKeyValue(reader, to);
    return true;
  });
  return previous;
}

export function decodeTxn(message: Buffer): TxnResponse {
  const reader = createReader(message);
  let revision = 0;
  let succeeded = false;
  let operations = 0;
  let before: KeyValue | undefined;
  const found: (KeyValue | undefined)[] = [];
  const readAnswer = (op: number, _wire: number, end: number): boolean => {
    if (op === OP_RANGE) found.push(readRange(reader, end).items[0]);
    else if (operations++ === 0) before = readPrevious(reader, end);
    else return false;
    return true;
  };
  visitFields(reader, message.length, (number, _wire, to) => {
    if (number === 1) revision = readHeader(reader, to);
    else if (number === 2) succeeded = readInt64(reader, to) !== 0;
    else if (number === 3) visitFields(reader, to, readAnswer);
    else return false;
    return true;
  });
  return { revision, succeeded, before, found };
}

/** Reads an `Event`: `type` = 1 (value 1 is a deletion) and `kv` = 2. */
function readChange(reader: Reader, end: number): WatchedChange {
  let type: WatchedChange['type'] = 'put';
  let entry: KeyValue = { key: '', modRevision: 0, value: Buffer.alloc(0) };
  visitFields(reader, end, (number, _wire, to) => {
    if (number === 1) type = readInt64(reader, to) === 1 ? 'delete' : 'put';
    else if (number === 2) entry = readKeyValue(reader, to);
    else return false;
    return true;
  });
  return { type, entry };
}

export function decodeWatch(message: Buffer): WatchResponse {
  const reader = createReader(message);
  let canceled = false;
  let compactRevision = 0;
  let reason = '';
  const changes: WatchedChange[] = [];
  visitFields(reader, message.length, (number, _wire, to) => {
    if (number === 4) canceled = readInt64(reader, to) !== 0;
    else if (number === 5) compactRevision = readInt64(reader, to);
    else if (number === 6) reason = sliceOf(reader, to).toString('utf8');
    else if (number === 11) changes.push(readChange(reader, to));
    else return false;
    return true;
  });
  return { canceled, compactRevision, reason, changes };
}
