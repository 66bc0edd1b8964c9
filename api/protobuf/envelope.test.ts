import { describe, expect, it } from 'vitest';
import { configMaps, cronJobs, secrets, selfSubjectAccessReviews } from '../groups/index.ts';
import { decode } from '../schema/decode.ts';
import { type StructSchema, resolve, struct } from '../schema/schema.ts';
import { Status } from '../types/meta-v1.ts';
import { decodeEnveloped, encodeObject, encodeProto, openEnvelope, wrapEnvelope } from './envelope.ts';
import { encodeList, listSchemaOf } from './lists.ts';
import { ProtobufError } from './protobuf-error.ts';
import { decodeWatchFrame, encodeWatchFrame } from './watch-event.ts';

interface Golden {
  readonly schema: StructSchema;
  readonly object: object;
  /** Request body that kubectl 1.34.5 sent, in hexadecimal. */
  readonly sent: string;
}

const goldens: Record<string, Golden> = {
  'create configmap': {
    schema: configMaps.schema,
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'cm2', creationTimestamp: null },
      data: { a: '1', b: '2' },
    },
    sent:
      '6b3873000a0f0a0276311209436f6e6669674d617012250a130a03636d3212001a0022002a0032003800420012060a01611201' +
      '3112060a01621201321a002200',
  },
  'create secret': {
    schema: secrets.schema,
    object: {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's2', creationTimestamp: null },
      data: { p: 'aGVsbG8=' },
    },
    sent:
      '6b3873000a0c0a027631120653656372657412220a120a02733212001a0022002a00320038004200120a0a0170120568656c6c' +
      '6f1a001a002200',
  },
  'create cronjob': {
    schema: cronJobs.schema,
    object: {
      kind: 'CronJob',
      apiVersion: 'batch/v1',
      metadata: { name: 'c2', creationTimestamp: null },
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: {
          metadata: { name: 'c2', creationTimestamp: null },
          spec: {
            template: {
              metadata: { creationTimestamp: null },
              spec: {
                containers: [{ name: 'c2', image: 'busybox', command: ['echo', 'hi'], resources: {} }],
                restartPolicy: 'OnFailure',
              },
            },
          },
        },
      },
      status: {},
    },
    sent:
      '6b3873000a130a0862617463682f7631120743726f6e4a6f6212a8010a120a02633212001a0022002a00320038004200128f01' +
      '0a0b2a2f35202a202a202a202a1a002a7e0a120a02633212001a0022002a00320038004200126832660a100a0012001a002200' +
      '2a003200380042001252122b0a026332120762757379626f781a046563686f1a0268692a0042006a0072008001008801009001' +
      '00a201001a094f6e4661696c757265320042004a0052005800600068008201008a01009a0100c201001a001a002200',
  },
  'auth can-i': {
    schema: selfSubjectAccessReviews.schema,
    object: {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec: { resourceAttributes: { namespace: 'default', verb: 'create', resource: 'pods' } },
      status: { allowed: false },
    },
    sent:
      '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a65637441636365737352' +
      '6576696577123f0a100a0012001a0022002a0032003800420012210a1f0a0764656661756c7412066372656174651a0022002a' +
      '04706f647332003a001a08080012001a0020001a002200',
  },
};

const fromHex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('the protobuf codec of objects', () => {
  it.each(Object.entries(goldens))(
    'decodes the request body of `kubectl %s` to the intended object',
    (_, { schema, object, sent }) => {
      const envelope = openEnvelope(fromHex(sent));
      expect(decode(schema, decodeEnveloped(envelope, schema)).value).toEqual(object);
    },
  );

  it.each(Object.entries(goldens))(
    'encodes the object of `kubectl %s` to the same bytes',
    (_, { schema, object, sent }) => {
      expect(encodeObject(newer(schema), object).toString('hex')).toBe(sent);
    },
  );
});

/** Returns the type as of release 1.34. It lacks `metadata.clusterName` (15), which 1.24 still writes. */
function newer(schema: StructSchema): StructSchema {
  const fields = Object.entries(schema.fields)
    .filter(([name]) => name !== 'clusterName')
    .map(([name, field]) => {
      const target = resolve(field.schema);
      return [name, target.kind === 'struct' ? { ...field, schema: newer(target) } : field];
    });
  return { ...schema, fields: Object.fromEntries(fields) as StructSchema['fields'] };
}

describe('an envelope', () => {
  it('consists of prefix, apiVersion, kind and object, without content encoding and content type', () => {
    const bytes = wrapEnvelope({ apiVersion: 'v1', kind: 'X', raw: Buffer.from([1, 2]) });
    expect(bytes.toString('hex')).toBe(
      '6b387300' + '0a07' + '0a027631' + '120158' + '12020102' + '1a00' + '2200',
    );
    expect(openEnvelope(bytes)).toEqual({ apiVersion: 'v1', kind: 'X', raw: Buffer.from([1, 2]) });
  });

  it('may omit kind and apiVersion, which the decoded object then lacks as well', () => {
    const envelope = openEnvelope(fromHex('6b387300' + '1200'));
    expect(decodeEnveloped(envelope, struct('test.Empty', {}))).toEqual({});
  });

  it('with another kind is read only up to its kind', () => {
    const envelope = openEnvelope(fromHex(goldens['create secret']?.sent ?? ''));
    expect(decodeEnveloped(envelope, undefined)).toEqual({ kind: 'Secret', apiVersion: 'v1' });
  });

  it.each([
    ['empty', '', 'empty data'],
    [
      'JSON',
      '7b7d',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['the first half of the prefix', '6b38', 'provided data does not appear to be a protobuf message'],
    ['only a prefix', '6b387300', 'empty body'],
    ['a truncated object', '6b38730012050a', 'unexpected EOF'],
    [
      'compressed content',
      '6b38730012001a0467 7a6970',
      'the envelope has content encoding "gzip", accepted is none',
    ],
    [
      'an envelope of JSON',
      '6b38730012002210 6170706c69636174696f6e2f6a736f6e',
      'content type "application/json"',
    ],
  ])('is rejected if it is %s', (_, text, message) => {
    const open = (): unknown => openEnvelope(fromHex(text.replaceAll(' ', '')));
    expect(open).toThrow(ProtobufError);
    expect(open).toThrow(message);
  });
});

describe('a list', () => {
  it('has the same bytes whether its items are encoded separately or together', () => {
    const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' }, data: { k: 'v' } }];
    const metadata = { resourceVersion: '7', remainingItemCount: 3 };
    const typeMeta = { kind: 'ConfigMapList', apiVersion: 'v1' };
    const schema = listSchemaOf(configMaps.schema);
    const around = encodeList(
      typeMeta,
      metadata,
      items.map((item) => encodeProto(configMaps.schema, item)),
    );
    expect(around).toEqual(encodeObject(schema, { ...typeMeta, metadata, items }));
    expect(decode(schema, decodeEnveloped(openEnvelope(around), schema)).value).toMatchObject({
      metadata,
      items,
    });
  });

  it("is complete if it exceeds the writer's first buffer", () => {
    const item = encodeProto(configMaps.schema, { data: { k: 'v'.repeat(1000) } });
    const items = Array.from({ length: 500 }, () => item);
    const list = encodeList({ kind: 'ConfigMapList', apiVersion: 'v1' }, {}, items);
    const read = decodeEnveloped(openEnvelope(list), listSchemaOf(configMaps.schema));
    expect(read['items']).toHaveLength(500);
  });
});

describe('a watch frame', () => {
  it('consists of length, type and enveloped object', () => {
    const object = encodeObject(Status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410 });
    const frame = encodeWatchFrame({ type: 'ERROR', object });
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\x05ERROR');
    expect(decodeWatchFrame(frame)).toEqual({ type: 'ERROR', object });
    expect(() => decodeWatchFrame(frame.subarray(0, -1))).toThrow(ProtobufError);
  });
});
