import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../groups/index.ts';
import { isVirtualSubresource } from '../kinds/kind.ts';
import { writeJson } from '../schema/exact-json.ts';
import { decode } from '../schema/decode.ts';
import {
  type StructSchema,
  anything,
  boolean,
  bytes,
  double,
  duration,
  inline,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  microTime,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wrappedList,
} from '../schema/schema.ts';
import * as metaTypes from '../types/meta-v1.ts';
import { arbitraryOf } from './arbitrary.fixture.ts';
import { decodeProto, encodeProto } from './envelope.ts';
import { ProtobufError } from './protobuf-error.ts';

const hex = (schema: StructSchema, object: object): string => encodeProto(schema, object).toString('hex');
const read = (schema: StructSchema, text: string): unknown =>
  decodeProto(schema, Buffer.from(text.replaceAll(' ', ''), 'hex'));

const Inner = struct('test.Inner', { a: value(1, string), b: optional(2, int32) });

describe('the writer of messages', () => {
  it('writes plain scalars even if they are zero, and pointers only if they are set', () => {
    const schema = struct('test.Scalars', {
      s: value(1, string),
      n: required(2, int32),
      b: value(3, boolean),
      p: optional(4, string),
      d: value(5, double),
      q: optional(6, int64),
    });
    expect(hex(schema, {})).toBe('0a00' + '1000' + '1800' + '290000000000000000');
    expect(hex(schema, { p: '', q: 0 })).toBe(
      '0a00' + '1000' + '1800' + '2200' + '290000000000000000' + '3000',
    );
  });

  it('writes an absent plain struct as its zero values, and no empty list or map', () => {
    const schema = struct('test.Structs', {
      held: value(1, ref(Inner)),
      pointed: optional(2, ref(Inner)),
      list: value(3, listOf(string)),
      map: required(4, mapOf(string)),
      bytes: required(5, bytes),
    });
    expect(hex(schema, {})).toBe('0a02' + '0a00');
    expect(hex(schema, { pointed: {}, list: [], map: {} })).toBe('0a020a00' + '12020a00');
  });

  it('writes fields in ascending order of their numbers, with two-byte tags above 15', () => {
    const schema = struct('test.Order', { z: value(17, string), a: value(2, string) });
    expect(hex(schema, { z: 'z', a: 'a' })).toBe('120161' + '8a01017a');
  });

  it('writes negative numbers in ten bytes without zigzag', () => {
    const schema = struct('test.Negative', { a: optional(1, int32), b: optional(2, int64) });
    expect(hex(schema, { a: -1 })).toBe('08ffffffffffffffffff01');
    expect(hex(schema, { b: -(2 ** 40) })).toBe('1080808080' + '80e0ffffff01');
    expect(hex(schema, { b: 2 ** 53 - 1 })).toBe('10ffffffffffffff0f');
  });

  it('writes a map as entries of key and value in ascending order of keys', () => {
    const schema = struct('test.Map', { m: value(11, mapOf(string)), d: value(2, mapOf(bytes)) });
    expect(hex(schema, { m: { b: '2', a: '1' } })).toBe('5a060a0161120131' + '5a060a0162120132');
    expect(hex(schema, { d: { k: 'AQI=' } })).toBe('1207' + '0a016b' + '12020102');
  });

  it('writes times as seconds and nanoseconds, and the zero time as an empty message', () => {
    const schema = struct('test.Times', { t: value(1, time), m: optional(2, microTime) });
    expect(hex(schema, {})).toBe('0a00');
    expect(hex(schema, { t: '1970-01-01T00:00:00Z' })).toBe('0a04' + '0800' + '1000');
    expect(hex(schema, { t: '2022-05-03T13:00:00Z', m: '1970-01-01T00:00:01.000002Z' })).toBe(
      '0a08' + '08d0cec4930610' + '00' + '1205' + '0801' + '10d00f',
    );
  });

  it('writes durations, quantities, int-or-strings, raw JSON and named lists as messages', () => {
    const schema = struct('test.Wrapped', {
      d: optional(1, duration),
      q: value(2, quantity),
      i: value(3, intOrString),
      r: optional(4, anything),
      w: value(5, mapOf(wrappedList(string))),
    });
    expect(hex(schema, {})).toBe('12030a0130' + '1a06' + '080010001a00');
    expect(hex(schema, { d: '1us' })).toContain('0a0308e807');
    expect(hex(schema, { i: 'http' })).toContain('1a0a' + '08011000' + '1a0468747470');
    expect(hex(schema, { i: 80 })).toContain('1a06' + '08001050' + '1a00');
    expect(hex(schema, { r: {} })).toContain('2204' + '0a027b7d');
    expect(hex(schema, { w: { k: ['v', 'w'] } })).toContain('2a0b' + '0a016b' + '1206' + '0a0176' + '0a0177');
  });

  it('writes fields that JSON inlines into their nested message', () => {
    const schema = struct('test.Outer', { ...inline(1, Inner), own: required(2, string) });
    expect(hex(schema, { a: 'x', own: 'y' })).toBe('0a03' + '0a0178' + '120179');
    expect(hex(schema, { own: 'y' })).toBe('0a02' + '0a00' + '120179');
    expect(read(schema, '0a030a0178 120179')).toEqual({ a: 'x', own: 'y' });
  });

  it('rejects values of the wrong type', () => {
    const schema = struct('test.Types', {
      s: value(1, string),
      n: value(2, int32),
      l: value(3, listOf(string)),
    });
    expect(() => encodeProto(schema, { s: 1 })).toThrow(ProtobufError);
    expect(() => encodeProto(schema, { n: 1.5 })).toThrow(ProtobufError);
    expect(() => encodeProto(schema, { l: {} })).toThrow('received object, accepted is list');
  });
});

describe('the reader of messages', () => {
  const schema = struct('test.Read', {
    s: value(1, string),
    n: optional(2, int32),
    l: value(3, listOf(int64)),
    m: value(4, mapOf(string)),
    o: optional(5, ref(Inner)),
    big: optional(6, int64),
    t: optional(7, time),
    r: optional(8, anything),
    i: optional(9, intOrString),
  });

  it('keeps the last of repeated scalars and merges repeated messages', () => {
    expect(read(schema, '0a0161 0a0162')).toEqual({ s: 'b' });
    expect(read(schema, '2a030a0161 2a021007')).toEqual({ o: { a: 'a', b: 7 } });
  });

  it('reads packed and unpacked lists', () => {
    expect(read(schema, '1801 1802')).toEqual({ l: [1, 2] });
    expect(read(schema, '1a020102 1803')).toEqual({ l: [1, 2, 3] });
  });

  it('reads map entries without key or value as empty strings, and `__proto__` as an ordinary key', () => {
    expect(read(schema, '2200')).toEqual({ m: { '': '' } });
    const { m } = read(schema, `220f 0a09${Buffer.from('__proto__').toString('hex')} 120261 62`) as {
      m: object;
    };
    expect(Object.keys(m)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(m)).toBe(Object.prototype);
  });

  it('skips unknown fields, groups, and known fields of another wire type', () => {
    expect(read(schema, 'f80101 f1010102030405060708 f5010102 0304 fa0103616263 0a0161')).toEqual({ s: 'a' });
    expect(read(schema, '7b 7b 0801 7c 7c 0a0161')).toEqual({ s: 'a' });
    expect(read(schema, '0801 120161 0a0162')).toEqual({ s: 'b' });
  });

  it('reads only the low half of a 32-bit number, as Go does', () => {
    expect(read(schema, '10ffffffffffffffffff01')).toEqual({ n: -1 });
    expect(read(schema, '1085808080 10')).toEqual({ n: 5 });
  });

  it('reads all digits of a number beyond 2^53', () => {
    const given = read(schema, '30ffffffffffffffff7f');
    expect(given).toEqual({ big: 9223372036854775807n });
    expect(decode(schema, given).value).toMatchObject({ big: 9223372036854775807n });
  });

  it('reads invalid UTF-8 as U+FFFD', () => {
    expect(read(schema, '0a02ff61')).toEqual({ s: '\ufffda' });
  });

  it('reads a time without seconds as the epoch, and an empty time as null', () => {
    expect(read(schema, '3a00')).toEqual({ t: null });
    expect(read(schema, '3a021000')).toEqual({ t: '1970-01-01T00:00:00Z' });
  });

  it.each([
    ['a tag of field 0', '0000', 'wire'],
    ['the end of a group without its start', '0c', 'wire'],
    ['a group without its end', '7b0801', 'truncated'],
    ['an unknown wire type', '7f', 'wire'],
    ['a length past the end', '0a0561', 'truncated'],
    ['a length of 2^63', '0affffffffffffffffff01', 'wire'],
    ['a truncated varint', '1080', 'truncated'],
    ['a varint of eleven bytes', '10ffffffffffffffffffff01', 'overflow'],
    ['a length beyond the enclosing message', '2a030a0561', 'truncated'],
    ['a time beyond year 9999', '3a0a08ffffffffffffffff7f', 'value'],
    ['raw bytes that are not JSON', '42040a027b5d', 'value'],
    ['an int-or-string of unknown type', '4a020802', 'value'],
  ])('rejects %s', (_, bytes, code) => {
    expect(() => read(schema, bytes)).toThrow(ProtobufError);
    expect(() => read(schema, bytes)).toThrow(expect.objectContaining({ code }));
  });

  it('rejects messages nested deeper than 100 levels', () => {
    interface Tree {
      child?: Tree;
    }
    const self = (): StructSchema => tree;
    const tree = struct('test.Tree', { child: optional(1, ref<Tree>(self)) });
    let bytes = Buffer.alloc(0);
    for (let depth = 0; depth < 120; depth += 1) {
      const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
      bytes = Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
    }
    expect(() => decodeProto(tree, bytes)).toThrow(expect.objectContaining({ code: 'depth' }));
  });
});

const structs: readonly StructSchema[] = [
  ...builtinKinds.flatMap(({ schema, subresources }) => [
    schema,
    ...Object.values(subresources).flatMap((each) => (isVirtualSubresource(each) ? [each.schema] : [])),
  ]),
  ...Object.values(metaTypes),
];

describe('the protobuf codec', () => {
  it.each(structs.map((schema) => [schema.name, schema] as const))(
    'round-trips any object of %s',
    (_, schema) => {
      fc.assert(
        fc.property(arbitraryOf(schema), (given) => {
          const { value: canonical } = decode(schema, structuredClone(given));
          const returned = decodeProto(schema, encodeProto(schema, canonical as object));
          expect(writeJson(decode(schema, returned).value)).toBe(writeJson(canonical));
        }),
        { numRuns: 20 },
      );
    },
  );

  it('reads any bytes or throws a ProtobufError', () => {
    fc.assert(
      fc.property(fc.constantFrom(...structs), fc.uint8Array({ maxLength: 200 }), (schema, given) => {
        try {
          expect(decodeProto(schema, given)).toBeTypeOf('object');
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ProtobufError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads any damaged message or throws a ProtobufError', () => {
    const damage = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...structs).chain((schema) => fc.tuple(fc.constant(schema), arbitraryOf(schema))),
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        ([schema, given], changes) => {
          const message = encodeProto(schema, decode(schema, given).value as object);
          for (const [at, byte] of changes) if (message.length > 0) message[at % message.length] = byte;
          try {
            decodeProto(schema, message);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(ProtobufError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
