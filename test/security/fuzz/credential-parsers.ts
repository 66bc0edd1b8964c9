import { parseBearer } from '../../../apiserver/auth/bearer.ts';
import { readImpersonation } from '../../../apiserver/auth/impersonation.ts';
import { readUnverified } from '../../../apiserver/auth/json-web-token.ts';
import { readIdentity } from '../../../apiserver/auth/request-header.ts';
import { parseTokenFile } from '../../../apiserver/auth/token-file.ts';
import { createCertificateAuthority } from '../../../base/pki/certificates.ts';
import { readPathConstraints } from '../../../base/pki/constraints.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { parsePem } from '../../../base/pki/pem.ts';
import { noAlternativeNames } from '../../../base/pki/alternative-names.ts';
import { readName } from '../../../base/pki/subject.ts';
import { createCertificateRequest, parseCertificateRequest } from '../../../base/pki/request.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { base64url, bytesOf, type FuzzedParser, latin1 } from './fuzzed-parser.ts';

const keys = generateKeyPair('ec-p256');

const authority = createCertificateAuthority(
  { commonName: 'fuzz', organizations: ['o'] },
  keys,
  { notBeforeMs: 0, notAfterMs: 1e12 },
  createSeededRandom(1),
);

const [certificateBlock] = parsePem(authority.certificatePem);

const request = createCertificateRequest(
  keys,
  { commonName: 'system:node:a', organizations: ['system:nodes'] },
  { ...noAlternativeNames, dnsNames: ['a.example'] },
);

const [requestBlock] = parsePem(request);

const headersOf = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    text.split('\n').map((line): [string, string[]] => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).split('|')];
    }),
  );

/** Parsers of tokens and identity headers. */
export const tokens: readonly FuzzedParser[] = [
  {
    name: 'JSON web tokens',
    seeds: [`${base64url({ alg: 'ES256', kid: 'k' })}.${base64url({ iss: 'i', aud: ['a'], exp: 1 })}.AAAA`],
    pieces: ['.', '..', '=', base64url({ alg: 'none' }), base64url([1]), '{}', '-_'],
    run: readUnverified,
  },
  {
    name: 'Authorization headers',
    seeds: ['Bearer abc.def.ghi', 'bearer x'],
    pieces: ['Bearer', ' ', '  ', 'Basic', '\t', '\u00a0'],
    run: parseBearer,
  },
  {
    name: 'token files',
    seeds: ['t,u,1,"a,b"\nt2,u2,2\n'],
    pieces: ['"', '""', ',', '\n', '\r\n', '\uFEFF'],
    run: parseTokenFile,
  },
  {
    name: 'impersonation headers',
    seeds: ['Impersonate-User:alice\nImpersonate-Group:a|b\nImpersonate-Extra-a%2fb:c\nImpersonate-Uid:1'],
    pieces: ['Impersonate-', 'Extra-', '%', '%ff', '__proto__', ':', '|', '\n', '\u00ff'],
    run: (text) => readImpersonation(headersOf(text)),
  },
  {
    name: 'authenticating proxy headers',
    seeds: ['X-Remote-User:alice\nX-Remote-Group:a|b\nX-Remote-Extra-k:v'],
    pieces: ['X-Remote-', 'Extra-', '%', '%zz', '__proto__', ':', '|', '\n'],
    run: (text) =>
      readIdentity(headersOf(text), {
        username: ['x-remote-user'],
        group: ['x-remote-group'],
        extraPrefix: ['x-remote-extra-'],
      }),
  },
];

/** Parsers of certificates and of requests for them. */
export const certificates: readonly FuzzedParser[] = [
  {
    name: 'PEM',
    seeds: [authority.certificatePem, request],
    pieces: ['-----BEGIN ', '-----END ', '-----', '\n', '=', 'CERTIFICATE', ': '],
    run: parsePem,
  },
  {
    name: 'certificate DER',
    seeds: [latin1(certificateBlock?.der ?? Buffer.alloc(0))],
    pieces: ['\x30\x80', '\x30\x84\xff\xff\xff\xff', '\x06', '\x00', '\xa0\x03', '\x05\x00'],
    run: (text) => readPathConstraints(bytesOf(text)),
  },
  {
    name: 'certificate requests',
    seeds: [latin1(requestBlock?.der ?? Buffer.alloc(0))],
    pieces: ['\x30\x80', '\x30\x84\xff\xff\xff\xff', '\x06\xff', '\x00', '\xa0\x80', '\x31\x00'],
    run(text) {
      const body = bytesOf(text).toString('base64');
      const read = parseCertificateRequest(
        `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`,
      );
      return read.verify();
    },
  },
  {
    name: 'distinguished names',
    seeds: [latin1(authority.subjectDer), '0\x0f1\x0d0\x0b\x06\x03U\x04\x03\x1e\x04\0a\0b'],
    pieces: [
      '\x30\x80',
      '\x31\x00',
      '\x06\x03U\x04\x0a',
      '\x1c\x04\0\0\0a',
      '\x1e\x02\xd8\0',
      '\x14\x01\xe9',
    ],
    run: (text) => readName(bytesOf(text)),
  },
];
