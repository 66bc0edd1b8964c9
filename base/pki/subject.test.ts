import { sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyBytes } from './algorithms.ts';
import { DerTag, element, oid, sequence } from './der.ts';
import { generateKeyPair } from './keys.ts';
import { readName, readRequestedSubject, readSubject } from './subject.ts';

const attribute = (type: string, tag: number, content: string | Buffer): Buffer =>
  sequence(oid(type), element(tag, typeof content === 'string' ? Buffer.from(content, 'latin1') : content));
const part = (...attributes: readonly Buffer[]): Buffer => element(DerTag.set, ...attributes);
const O = '2.5.4.10';
const CN = '2.5.4.3';
const organization = (tag: number, content: string): Buffer =>
  sequence(part(attribute(O, tag, content)), part(attribute(CN, DerTag.utf8String, 'name')));
const refused = expect.objectContaining({ code: 'ERR_DER' });

describe('subject of a certificate', () => {
  it.each([
    ['UTF8String', DerTag.utf8String, '\u00c3\u00a9', 'é'],
    ['PrintableString', DerTag.printableString, 'A b-1 *&', 'A b-1 *&'],
    ['IA5String', DerTag.ia5String, 'a@b', 'a@b'],
    ['NumericString', 0x12, '1 2', '1 2'],
    ['TeletexString', 0x14, '\u00e9', 'é'],
    ['BMPString', 0x1e, '\0ae\u00e5', 'a\u65e5'],
  ])('may contain a %s', (_name, tag, content, text) => {
    expect(readSubject(organization(tag, content)).organizations).toEqual([text]);
  });

  const readable = [DerTag.utf8String, DerTag.printableString, DerTag.ia5String, 0x12, 0x14, 0x1e];
  it.each(Array.from({ length: 0x100 }, (_, tag) => tag).filter((tag) => !readable.includes(tag as never)))(
    'is rejected with a value of type %d in any attribute',
    (tag) => {
      for (const type of [O, CN, '2.5.4.11']) {
        const value = Buffer.concat([Buffer.of(tag, 14), Buffer.from('system:masters')]);
        const name = sequence(part(sequence(oid(type), value)), part(attribute(CN, DerTag.utf8String, 'x')));
        expect(() => readSubject(name)).toThrow(refused);
      }
    },
  );

  it.each([
    ['a UTF8String of bytes that are not UTF-8', DerTag.utf8String, '\u00c3('],
    ['a UTF8String with an encoded surrogate', DerTag.utf8String, '\u00ed\u00a0\u0080'],
    ['an overlong UTF8String', DerTag.utf8String, '\u00c1\u0081'],
    ['a PrintableString with another character', DerTag.printableString, 'a@b'],
    ['an IA5String that is not ASCII', DerTag.ia5String, '\u00e9'],
    ['a NumericString with a letter', 0x12, 'a'],
    ['half a character in a BMPString', 0x1e, 'abc'],
    ['a surrogate in a BMPString', 0x1e, '\u00d8\0'],
    ['a pair of surrogates in a BMPString', 0x1e, '\u00d8=\u00de\0'],
    ['a NUL', DerTag.utf8String, 'system:masters\0'],
    ['a NUL in a BMPString', 0x1e, '\0a\0\0'],
    ['a line end', DerTag.ia5String, 'a\nb'],
    ['a control character of Latin-1', 0x14, 'a\u0085'],
    ['a control character in UTF-8', DerTag.utf8String, 'a\u00c2\u0085'],
  ])('is rejected with %s', (_what, tag, content) => {
    expect(() => readSubject(organization(tag, content))).toThrow(refused);
  });

  it.each([
    ['a part without attributes', sequence(part())],
    ['an attribute without a value', sequence(part(sequence(oid(CN))))],
    ['an attribute with two values', sequence(part(sequence(oid(CN), element(0x0c), element(0x0c))))],
    [
      'an object identifier in a longer form',
      sequence(part(sequence(Buffer.from('060480550403', 'hex'), element(0x0c, Buffer.from('x'))))),
    ],
    ['a length in a longer form', Buffer.from('30810b3109300706035504030c00', 'hex')],
    ['trailing bytes', Buffer.concat([organization(0x0c, 'x'), Buffer.of(0)])],
  ])('is rejected with %s', (_what, name) => {
    expect(() => readSubject(name)).toThrow(refused);
  });

  it('is rejected with the attribute that cannot be read and its type', () => {
    expect(() => readSubject(organization(0x1c, 'a'))).toThrow(
      'attribute O (organization): string type 0x1c is not supported, expected one of UTF8String, PrintableString,',
    );
  });

  it('has all attributes of multi-valued parts in order, and the last common name', () => {
    const name = sequence(
      part(attribute(O, 0x0c, 'a'), attribute(CN, 0x0c, 'first'), attribute(O, 0x0c, 'a')),
      part(attribute(CN, 0x0c, 'last')),
    );
    expect(readName(name).map(({ text }) => text)).toEqual(['a', 'first', 'a', 'last']);
    expect(readSubject(name)).toEqual({ commonName: 'last', organizations: ['a', 'a'] });
    expect(() => readRequestedSubject(name)).toThrow('2 common names, expected at most one');
  });
});

it('verifyBytes accepts ECDSA with SHA-1', () => {
  const keys = generateKeyPair('ec-p256');
  const bytes = Buffer.from('request');
  const signature = sign('sha1', bytes, keys.privateKey);
  expect(verifyBytes('1.2.840.10045.4.1', keys.publicKey, bytes, signature)).toBe(true);
});
