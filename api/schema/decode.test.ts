import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError, decode } from './decode.ts';
import {
  type StructSchema,
  anything,
  boolean,
  bytes,
  double,
  duration,
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
} from './schema.ts';

const Port = struct('api.core.v1.Port', { port: required(1, int32), name: value(2, string) });
const Inner = struct('api.core.v1.Inner', { at: value(1, time), names: required(2, listOf(string)) });
const Spec: StructSchema = struct('api.core.v1.ThingSpec', {
  text: value(1, string),
  flag: optional(2, boolean),
  count: optional(3, int64),
  ratio: value(4, double),
  ports: value(5, listOf(ref(Port))),
  labels: value(6, mapOf(string)),
  limits: value(7, mapOf(quantity)),
  secret: value(8, bytes),
  target: optional(9, intOrString),
  seen: optional(10, microTime),
  wait: optional(11, duration),
  raw: optional(12, anything),
  child: optional(
    13,
    ref(() => Spec as never),
  ),
});
const Thing = struct('api.core.v1.Thing', {
  spec: optional(2, ref(Spec)),
  inner: value(3, ref(Inner)),
  metadata: optional(1, anything),
  kind: value(0, string),
  apiVersion: value(0, string),
});

const specOf = (spec: unknown): unknown => decode<{ spec: unknown }>(Thing, { spec }).value.spec;

const refusal = (source: unknown, schema: StructSchema = Thing): DecodeError => {
  try {
    decode(schema, source);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error('accepted');
};

describe('decode', () => {
  it('writes missing values according to their presence', () => {
    const Zeros = struct('v1.Zeros', {
      optionalText: optional(1, string),
      valueText: value(2, string),
      requiredText: required(3, string),
      requiredNumber: required(4, int32),
      requiredFlag: required(5, boolean),
      requiredList: required(6, listOf(string)),
      requiredMap: required(7, mapOf(string)),
      requiredBytes: required(8, bytes),
      requiredStruct: required(9, ref(Port)),
      requiredPointer: required(10, ref(Port), { nullable: true }),
      requiredTime: required(11, time),
      requiredQuantity: required(12, quantity),
      requiredIntOrString: required(13, intOrString),
      valueList: value(14, listOf(string)),
      valueStruct: value(15, ref(Inner)),
      valueTime: value(16, microTime),
      valueQuantity: value(17, quantity),
      valueDuration: value(18, duration),
    });
    expect(decode(Zeros, {}).value).toEqual({
      requiredText: '',
      requiredNumber: 0,
      requiredFlag: false,
      requiredList: null,
      requiredMap: null,
      requiredBytes: null,
      requiredStruct: { port: 0 },
      requiredPointer: null,
      requiredTime: null,
      requiredQuantity: '0',
      requiredIntOrString: 0,
      valueStruct: { at: null, names: null },
      valueTime: null,
      valueQuantity: '0',
      valueDuration: '0s',
    });
  });

  it('decodes 64-bit integers with all digits, and a list of numbers as bytes', () => {
    expect(specOf({ count: 9223372036854775807n, ratio: 9007199254740993n, secret: [97, 255] })).toEqual({
      count: 9223372036854775807n,
      ratio: 9007199254740992,
      secret: 'Yf8=',
    });
    expect(specOf({ limits: { cpu: 9007199254740993n } })).toEqual({ limits: { cpu: '9007199254740993' } });
    expect(() => specOf({ target: 9007199254740993n })).toThrow(
      'cannot unmarshal number 9007199254740993 into Go struct field ThingSpec.spec.target of type int32',
    );
    expect(() => specOf({ secret: [256] })).toThrow('cannot unmarshal array into');
  });

  it('drops zero values of plain fields and retains zero values of optional fields', () => {
    expect(
      specOf({ text: '', flag: false, count: 0, ratio: 0, ports: [], labels: {}, secret: '', target: 0 }),
    ).toEqual({ flag: false, count: 0, target: 0 });
  });

  it('writes a required empty list as null, unless the field retains empty lists', () => {
    expect(decode(Inner, { names: [] }).value).toEqual({ at: null, names: null });
    const Kept = struct('api.core.v1.Kept', { names: required(1, listOf(string), { keepsEmpty: true }) });
    expect(decode(Kept, { names: [] }).value).toEqual({ names: [] });
  });

  it('reads null as absent in structs, and as the zero value in lists and maps', () => {
    expect(
      specOf({ text: null, flag: null, ports: [null], labels: { a: null }, limits: { cpu: null } }),
    ).toEqual({
      ports: [{ port: 0 }],
      labels: { a: '' },
      limits: { cpu: '0' },
    });
  });

  it('drops unknown fields and reports them in the order of the request body', () => {
    const { value: decoded, unknown } = decode(Thing, {
      foo: 1,
      spec: { ports: [{ port: 1, bar: 1 }], extra: { deep: 1 }, Text: 'case matters' },
      last: 1,
    });
    expect(decoded).toEqual({ spec: { ports: [{ port: 1 }] }, inner: { at: null, names: null } });
    expect(unknown).toEqual(['foo', 'spec.ports[0].bar', 'spec.extra', 'spec.Text', 'last']);
  });

  it('reports at most about one hundred unknown fields', () => {
    const source = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, 1]));
    expect(decode(Thing, source).unknown).toHaveLength(100);
  });

  it('writes kind, apiVersion and metadata first, then fields in declared order, and sorts map keys', () => {
    const { value: decoded } = decode(Thing, {
      spec: { labels: { b: '1', a: '2' }, text: 'x' },
      metadata: { z: 1, a: 2 },
      apiVersion: 'v1',
      kind: 'Thing',
    });
    expect(JSON.stringify(decoded)).toBe(
      '{"kind":"Thing","apiVersion":"v1","metadata":{"z":1,"a":2},"spec":{"text":"x","labels":{"a":"2","b":"1"}},"inner":{"at":null,"names":null}}',
    );
  });

  it('writes scalars in canonical form', () => {
    expect(
      specOf({
        limits: { memory: '1024Mi', cpu: 0.5 },
        secret: 'YR==',
        seen: '2024-01-01T01:00:00.000001+01:00',
        wait: '90s',
      }),
    ).toEqual({
      limits: { cpu: '500m', memory: '1Gi' },
      secret: 'YQ==',
      seen: '2024-01-01T00:00:00.000001Z',
      wait: '1m30s',
    });
  });

  it('does not change values of untyped fields', () => {
    const raw = { b: [1, { c: null }], a: {} };
    expect(specOf({ raw })).toEqual({ raw });
  });

  it.each([
    [
      { flag: 'yes' },
      'spec.flag',
      'cannot unmarshal string into Go struct field ThingSpec.spec.flag of type bool',
    ],
    [
      { text: 5 },
      'spec.text',
      'cannot unmarshal number into Go struct field ThingSpec.spec.text of type string',
    ],
    [
      { ports: [{}, { port: 1.5 }] },
      'spec.ports[1].port',
      'cannot unmarshal number 1.5 into Go struct field Port.spec.ports.port of type int32',
    ],
    [
      { ports: [{ port: 2 ** 31 }] },
      'spec.ports[0].port',
      'cannot unmarshal number 2147483648 into Go struct field Port.spec.ports.port of type int32',
    ],
    [
      { ports: {} },
      'spec.ports',
      'cannot unmarshal object into Go struct field ThingSpec.spec.ports of type []v1.Port',
    ],
    [
      { labels: ['a'] },
      'spec.labels',
      'cannot unmarshal array into Go struct field ThingSpec.spec.labels of type map[string]string',
    ],
    [
      { labels: { app: 1 } },
      'spec.labels.app',
      'cannot unmarshal number into Go struct field ThingSpec.spec.labels of type string',
    ],
    [
      { target: true },
      'spec.target',
      'cannot unmarshal bool into Go struct field ThingSpec.spec.target of type int32',
    ],
  ])('rejects %j with its path and the message of Go', (spec, path, message) => {
    const error = refusal({ spec });
    expect(error.code).toBe('type');
    expect(error.path).toBe(path);
    expect(error.message).toBe(`json: ${message}`);
  });

  it('rejects numbers that do not fit into their type', () => {
    expect(refusal(JSON.parse('{"spec":{"count":9223372036854775807}}')).path).toBe('spec.count');
    expect(refusal(JSON.parse('{"spec":{"ratio":1e999}}')).path).toBe('spec.ratio');
    expect(specOf({ count: Number.MAX_SAFE_INTEGER })).toEqual({ count: Number.MAX_SAFE_INTEGER });
  });

  it.each([
    [{ secret: 'Y*==' }, 'spec.secret', 'illegal base64 data at input byte 1'],
    [{ secret: 'YQ' }, 'spec.secret', 'illegal base64 data at input byte 0'],
    [{ limits: { cpu: 'x' } }, 'spec.limits.cpu', 'quantities must match the regular expression'],
    [{ seen: 'now' }, 'spec.seen', 'parsing time "now" as'],
  ])('rejects the form of %j with the message of Go and the path that it omits', (spec, path, message) => {
    const error = refusal({ spec });
    expect(error.code).toBe('format');
    expect(error.path).toBe(path);
    expect(error.message.startsWith(message)).toBe(true);
  });

  it.each([[[]], ['text'], [5], [null], [undefined]])('rejects %j in place of an object', (source) => {
    expect(refusal(source).message).toMatch(/^json: cannot unmarshal \w+ into Go value of type v1\.Thing$/);
  });

  it('neither reads inherited properties nor changes a prototype', () => {
    const Odd = struct('v1.Odd', { constructor: optional(1, string), toString: optional(2, string) });
    expect(Object.keys(decode<object>(Odd, {}).value)).toEqual([]);
    const labels = JSON.parse('{"__proto__":"x","a":"1"}') as unknown;
    const decoded = specOf({ labels }) as { labels: object };
    expect(Object.entries(decoded.labels)).toEqual([
      ['__proto__', 'x'],
      ['a', '1'],
    ]);
    expect(decode(Thing, JSON.parse('{"__proto__":{"kind":"x"}}')).unknown).toEqual(['__proto__']);
  });

  it('follows types that refer to themselves', () => {
    expect(specOf({ child: { child: { text: 'x' } } })).toEqual({ child: { child: { text: 'x' } } });
  });

  it('leaves its result unchanged when it decodes the result again', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            text: fc.string(),
            flag: fc.option(fc.boolean()),
            count: fc.maxSafeInteger(),
            ports: fc.array(fc.record({ port: fc.integer(), name: fc.string() })),
            labels: fc.dictionary(fc.string(), fc.string()),
            limits: fc.dictionary(fc.string(), fc.constantFrom('1', '100m', '1.5Gi', '1e3', '1024Ki')),
            raw: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
        (spec) => {
          const once = JSON.stringify(decode(Thing, { spec: structuredClone(spec) }).value);
          expect(JSON.stringify(decode(Thing, JSON.parse(once)).value)).toBe(once);
        },
      ),
    );
  });

  it('returns a value or throws a DecodeError for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(Spec.fields)), (any, name) => {
        try {
          decode(Thing, { spec: { [name]: any } });
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
    );
  });
});
