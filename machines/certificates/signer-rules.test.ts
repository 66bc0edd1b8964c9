import { describe, expect, it } from 'vitest';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { apiserverClientFault, nodeClientFault, nodeServingFault } from './signer-rules.ts';

type Request = Parameters<typeof nodeClientFault>[0];

/** Expected refusal, complete or as a pattern; undefined if the signer signs. */
type Refusal = string | RegExp | undefined;
function check(fault: string | undefined, wanted: Refusal): void {
  if (wanted instanceof RegExp) expect(fault).toMatch(wanted);
  else expect(fault).toBe(wanted);
}

/** Request of a node agent; `changes` replace its fields. */
const requested = (changes: Partial<Request>): Request => ({
  subject: { commonName: 'system:node:n1', organizations: ['system:nodes'] },
  ...noAlternativeNames,
  ...changes,
});
const subject = (commonName: string, ...organizations: string[]) => ({
  subject: { commonName, organizations },
});

const CLIENT = ['digital signature', 'key encipherment', 'client auth'];
const SERVING = ['digital signature', 'key encipherment', 'server auth'];
const ORGANIZATION = 'subject organization is not system:nodes';
const NAME = 'subject common name does not begin with system:node:';

describe('kubelet client signer', () => {
  it.each<[string, Partial<Request>, readonly string[], Refusal]>([
    ['signs a valid request', {}, CLIENT, undefined],
    ['signs usages in another order', {}, [...CLIENT].reverse(), undefined],
    ['signs a repeated usage', {}, [...CLIENT, 'client auth'], undefined],
    ['refuses a subject without organization', subject('system:node:n1'), CLIENT, ORGANIZATION],
    [
      'refuses a subject of another organization',
      subject('system:node:n1', 'system:masters'),
      CLIENT,
      ORGANIZATION,
    ],
    [
      'refuses a subject with a second organization',
      subject('system:node:n1', 'system:nodes', 'dev'),
      CLIENT,
      ORGANIZATION,
    ],
    ['refuses a user name', subject('jane', 'system:nodes'), CLIENT, NAME],
    ['refuses an empty common name', subject('', 'system:nodes'), CLIENT, NAME],
    ['refuses a DNS name', { dnsNames: ['n1'] }, CLIENT, 'DNS subjectAltNames are not allowed'],
    ['refuses an IP address', { ipAddresses: ['10.0.0.1'] }, CLIENT, 'IP subjectAltNames are not allowed'],
    [
      'refuses an e-mail address',
      { emailAddresses: ['a@b'] },
      CLIENT,
      'Email subjectAltNames are not allowed',
    ],
    ['refuses a URI', { uris: ['spiffe://x'] }, CLIENT, 'URI subjectAltNames are not allowed'],
    ['refuses usages without client auth', {}, CLIENT.slice(0, 2), /^usages did not match/],
    ['refuses server auth in addition', {}, [...CLIENT, 'server auth'], /^usages did not match/],
    ['refuses server auth instead', {}, SERVING, /^usages did not match/],
    ['refuses cert sign', {}, [...CLIENT, 'cert sign'], /^usages did not match/],
    ['refuses empty usages', {}, [], /^usages did not match/],
  ])('%s', (_what, changes, usages, fault) => check(nodeClientFault(requested(changes), usages), fault));
});

describe('kubelet serving signer', () => {
  const named = { dnsNames: ['n1'] };
  it.each<[string, Partial<Request>, readonly string[], Refusal]>([
    ['signs a request with a DNS name', named, SERVING, undefined],
    ['signs a request with an IP address', { ipAddresses: ['10.0.0.1'] }, SERVING, undefined],
    ['signs a request with both', { ...named, ipAddresses: ['10.0.0.1'] }, SERVING, undefined],
    ['refuses a request with neither', {}, SERVING, 'DNS or IP subjectAltName is required'],
    [
      'refuses an e-mail address alone',
      { emailAddresses: ['a@b'] },
      SERVING,
      'DNS or IP subjectAltName is required',
    ],
    [
      'refuses an e-mail address in addition',
      { ...named, emailAddresses: ['a@b'] },
      SERVING,
      'Email subjectAltNames are not allowed',
    ],
    [
      'refuses a URI in addition',
      { ...named, uris: ['spiffe://x'] },
      SERVING,
      'URI subjectAltNames are not allowed',
    ],
    [
      'refuses another organization',
      { ...named, ...subject('system:node:n1', 'dev') },
      SERVING,
      ORGANIZATION,
    ],
    ['refuses a user name', { ...named, ...subject('jane', 'system:nodes') }, SERVING, NAME],
    ['refuses client auth in addition', named, [...SERVING, 'client auth'], /^usages did not match/],
    ['refuses client auth instead', named, CLIENT, /^usages did not match/],
    [
      'refuses usages without key encipherment',
      named,
      ['digital signature', 'server auth'],
      /^usages did not match/,
    ],
  ])('%s', (_what, changes, usages, fault) => check(nodeServingFault(requested(changes), usages), fault));
});

describe('API server client signer', () => {
  it.each<[string, readonly string[], Refusal]>([
    ['signs client auth alone', ['client auth'], undefined],
    ['signs the usages of a TLS client', CLIENT, undefined],
    [
      'refuses usages without client auth',
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    ['refuses server auth instead', ['server auth'], 'invalid usage for client certificate: server auth'],
    [
      'refuses server auth in addition',
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    ['refuses cert sign', ['client auth', 'cert sign', 'crl sign'], /: cert sign$/],
    ['refuses the usage any', ['client auth', 'any'], /: any$/],
  ])('%s', (_what, usages, fault) => check(apiserverClientFault(usages), fault));
});
