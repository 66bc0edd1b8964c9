import { sign } from 'node:crypto';
import { GeneralName, SubjectAlternativeName } from '@peculiar/asn1-x509';
import { describe, expect, it } from 'vitest';
import { verifyBytes } from './algorithms.ts';
import { readAlternativeNames } from './alternative-names.ts';
import { DerTag, element, oid, sequence } from './der.ts';
import { generateKeyPair } from './keys.ts';
import { readSubject } from './subject.ts';

const organization = (tag: number, content: string): Buffer =>
  sequence(
    element(DerTag.set, sequence(oid('2.5.4.10'), element(tag, Buffer.from(content, 'latin1')))),
    element(DerTag.set, sequence(oid('2.5.4.3'), element(DerTag.utf8String, Buffer.from('name')))),
  );

describe('a subject', () => {
  it.each([
    ['UTF8String', DerTag.utf8String, '\u00c3\u00a9', 'é'],
    ['PrintableString', DerTag.printableString, 'A b-1 *&', 'A b-1 *&'],
    ['IA5String', DerTag.ia5String, 'a@b', 'a@b'],
    ['NumericString', 0x12, '1 2', '1 2'],
    ['TeletexString', 0x14, '\u00e9', 'é'],
    ['BMPString', 0x1e, '\0ae\u00e5', 'a\u65e5'],
  ])('has what a %s says', (_name, tag, content, text) => {
    expect(readSubject(organization(tag, content)).organizations).toEqual([text]);
  });

  it.each([
    ['an integer', DerTag.integer, '\u0001'],
    ['an octet string', DerTag.octetString, 'masters'],
    ['a type that no name has', 0x1b, 'masters'],
  ])('says nothing with %s', (_name, tag, content) => {
    expect(readSubject(organization(tag, content))).toEqual({ commonName: 'name', organizations: [] });
  });

  it.each([
    ['UTF8String', DerTag.utf8String, '\u00c3('],
    ['PrintableString', DerTag.printableString, 'a@b'],
    ['IA5String', DerTag.ia5String, '\u00e9'],
    ['NumericString', 0x12, 'a'],
    ['BMPString', 0x1e, 'abc'],
  ])('is refused for a %s that holds what it may not', (_name, tag, content) => {
    expect(() => readSubject(organization(tag, content))).toThrow(
      expect.objectContaining({ code: 'ERR_DER' }),
    );
  });
});

describe('alternative names', () => {
  it.each([
    [{ dNSName: 'é' }],
    [{ rfc822Name: 'é@b' }],
    [{ uniformResourceIdentifier: 'https://é' }],
    [{ uniformResourceIdentifier: 'https://a\n' }],
    [{ iPAddress: '0a0b0c' }],
    [{ iPAddress: '10.0.0.0/255.0.0.0' }],
  ])('are refused with %j', (name) => {
    expect(() => readAlternativeNames(new SubjectAlternativeName([new GeneralName(name)]))).toThrow(
      expect.objectContaining({ code: 'ERR_DER' }),
    );
  });
});

it('a request may be signed by ECDSA with SHA-1', () => {
  const keys = generateKeyPair('ec-p256');
  const bytes = Buffer.from('request');
  const signature = sign('sha1', bytes, keys.privateKey);
  expect(verifyBytes('1.2.840.10045.4.1', keys.publicKey, bytes, signature)).toBe(true);
});
