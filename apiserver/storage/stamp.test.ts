import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkObject,
  isStampOf,
  metadataBytes,
  stampResourceVersion,
  unstampResourceVersion,
} from './stamp.ts';

const encode = (metadata: object, rest: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, ...rest }));

describe('checkObject', () => {
  it('accepts stamped bytes with any contents', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), fc.jsonValue(), fc.nat(), (labels, spec, revision) => {
        expect(() => checkObject(stampResourceVersion(encode({ labels }, { spec }), revision))).not.toThrow();
      }),
    );
  });

  it('rejects bytes that are longer or shorter than an object', () => {
    const stamped = stampResourceVersion(encode({ name: 'a' }), 1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: stamped.length - 1 }), (length) => {
        expect(() => checkObject(stamped.subarray(0, length))).toThrow();
        expect(() => checkObject(Buffer.concat([stamped, stamped.subarray(0, length)]))).toThrow();
      }),
    );
  });
});

describe('stampResourceVersion', () => {
  it('makes the resource version the first member of metadata', () => {
    expect(stampResourceVersion(encode({ name: 'a' }), 12).toString()).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12","name":"a"}}',
    );
  });

  it('stamps empty metadata without a comma, including a second stamp', () => {
    const stamped = stampResourceVersion(encode({}, { spec: {} }), 7);
    expect(stamped.toString()).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7"},"spec":{}}',
    );
    expect(stampResourceVersion(stamped, 10)).toEqual(stampResourceVersion(encode({}, { spec: {} }), 10));
  });

  it('leaves every other byte unchanged, replaces an earlier version, and is undone by unstampResourceVersion', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        text,
        fc.dictionary(text, text),
        fc.jsonValue(),
        fc.nat(),
        fc.nat(),
        (kind, labels, spec, one, two) => {
          const value = Buffer.from(JSON.stringify({ kind, apiVersion: kind, metadata: { labels }, spec }));
          const stamped = stampResourceVersion(value, one);
          expect(JSON.parse(stamped.toString())).toEqual(
            JSON.parse(
              JSON.stringify({
                kind,
                apiVersion: kind,
                metadata: { labels, resourceVersion: String(one) },
                spec,
              }),
            ),
          );
          expect(stampResourceVersion(stamped, two)).toEqual(stampResourceVersion(value, two));
          expect(unstampResourceVersion(stamped)).toEqual(value);
          expect(unstampResourceVersion(value)).toEqual(value);
          expect(isStampOf(stamped, value)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is recognized by isStampOf, including with empty metadata', () => {
    const [empty, named, other] = [encode({}), encode({ name: 'a' }), encode({ name: 'b' })];
    expect(isStampOf(stampResourceVersion(empty, 1), empty)).toBe(true);
    expect(isStampOf(stampResourceVersion(named, 1), named)).toBe(true);
    expect(isStampOf(stampResourceVersion(named, 1), other)).toBe(false);
    expect(isStampOf(stampResourceVersion(named, 1), empty)).toBe(false);
  });

  it('rejects bytes without metadata', () => {
    expect(() => stampResourceVersion(Buffer.from('{}'), 1)).toThrow(TypeError);
  });
});

describe('metadataBytes', () => {
  it('returns only the metadata, whatever strings and maps they contain', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('}', '{', '"', '\\', '\\"}', '{"'));
    fc.assert(
      fc.property(
        fc.dictionary(text, text),
        fc.dictionary(text, fc.dictionary(text, text)),
        (labels, more) => {
          const metadata = { name: 'a', labels, managedFields: [{ fieldsV1: more }] };
          const value = stampResourceVersion(encode(metadata, { spec: { labels } }), 3);
          expect(metadataBytes(value).toString()).toBe(JSON.stringify({ resourceVersion: '3', ...metadata }));
        },
      ),
      { numRuns: 100 },
    );
    expect(metadataBytes(encode({})).toString()).toBe('{}');
  });
});
