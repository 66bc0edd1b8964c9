import { describe, expect, it } from 'vitest';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { apiserverClientFault, nodeClientFault, nodeServingFault } from './signer-rules.ts';

type Request = Parameters<typeof nodeClientFault>[0];

/** Expected rejection, as the complete message or a pattern; undefined if the signer signs. */
type Refusal = string | RegExp | undefined;
function check(fault: string | undefined, wanted: Refusal): void {
  if (wanted instanceof RegExp) expect(fault).toMatch(wanted);
  else expect(fault).toBe(wanted);
}

/** Returns the request of a node's kubelet; `changes` replace its fields. */
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

describe('nodeClientFault', () => {
  it.each<[string, Partial<Request>, readonly string[], Refusal]>([
    ['signs a valid request', {}, CLIENT, undefined],
    ['signs usages in another order', {}, [...CLIENT].reverse(), undefined],
    ['signs a repeated usage', {}, [...CLIENT, 'client auth'], undefined],
    ['rejects a subject without organization', subject('system:node:n1'), CLIENT, ORGANIZATION],
    [
      'rejects a subject of another organization',
      subject('system:node:n1', 'system:masters'),
      CLIENT,
      ORGANIZATION,
    ],
    [
      'rejects a subject with a second organization',
      subject('system:node:n1', 'system:nodes', 'dev'),
      CLIENT,
      ORGANIZATION,
    ],
    ['rejects a user name', subject('jane', 'system:nodes'), CLIENT, NAME],
    ['rejects an empty common name', subject('', 'system:nodes'), CLIENT, NAME],
    ['rejects a DNS name', { dnsNames: ['n1'] }, CLIENT, 'DNS subjectAltNames are not allowed'],
    ['rejects an IP address', { ipAddresses: ['10.0.0.1'] }, CLIENT, 'IP subjectAltNames are not allowed'],
    [
      'rejects an e-mail address',
      { emailAddresses: ['a@b'] },
      CLIENT,
      'Email subjectAltNames are not allowed',
    ],
    ['rejects a URI', { uris: ['spiffe://x'] }, CLIENT, 'URI subjectAltNames are not allowed'],
    ['rejects usages without client auth', {}, CLIENT.slice(0, 2), /^usages did not match/],
    ['rejects server auth in addition', {}, [...CLIENT, 'server auth'], /^usages did not match/],
    ['rejects server auth instead', {}, SERVING, /^usages did not match/],
    ['rejects cert sign', {}, [...CLIENT, 'cert sign'], /^usages did not match/],
    ['rejects empty usages', {}, [], /^usages did not match/],
  ])('%s', (_what, changes, usages, fault) => check(nodeClientFault(requested(changes), usages), fault));
});

describe('nodeServingFault', () => {
  const named = { dnsNames: ['n1'] };
  it.each<[string, Partial<Request>, readonly string[], Refusal]>([
    ['signs a request with a DNS name', named, SERVING, undefined],
    ['signs a request with an IP address', { ipAddresses: ['10.0.0.1'] }, SERVING, undefined],
    [
      'signs a request with a DNS name and an IP address',
      { ...named, ipAddresses: ['10.0.0.1'] },
      SERVING,
      undefined,
    ],
    [
      'rejects a request without a DNS name and an IP address',
      {},
      SERVING,
      'DNS or IP subjectAltName is required',
    ],
    [
      'rejects an e-mail address alone',
      { emailAddresses: ['a@b'] },
      SERVING,
      'DNS or IP subjectAltName is required',
    ],
    [
      'rejects an e-mail address in addition',
      { ...named, emailAddresses: ['a@b'] },
      SERVING,
      'Email subjectAltNames are not allowed',
    ],
    [
      'rejects a URI in addition',
      { ...named, uris: ['spiffe://x'] },
      SERVING,
      'URI subjectAltNames are not allowed',
    ],
    [
      'rejects another organization',
      { ...named, ...subject('system:node:n1', 'dev') },
      SERVING,
      ORGANIZATION,
    ],
    ['rejects a user name', { ...named, ...subject('jane', 'system:nodes') }, SERVING, NAME],
    ['rejects client auth in addition', named, [...SERVING, 'client auth'], /^usages did not match/],
    ['rejects client auth instead', named, CLIENT, /^usages did not match/],
    [
      'rejects usages without key encipherment',
      named,
      ['digital signature', 'server auth'],
      /^usages did not match/,
    ],
  ])('%s', (_what, changes, usages, fault) => check(nodeServingFault(requested(changes), usages), fault));
});

describe('apiserverClientFault', () => {
  it.each<[string, readonly string[], Refusal]>([
    ['signs client auth alone', ['client auth'], undefined],
    ['signs the usages of a TLS client', CLIENT, undefined],
    [
      'rejects usages without client auth',
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    ['rejects server auth instead', ['server auth'], 'invalid usage for client certificate: server auth'],
    [
      'rejects server auth in addition',
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    ['rejects cert sign', ['client auth', 'cert sign', 'crl sign'], /: cert sign$/],
    ['rejects the usage any', ['client auth', 'any'], /: any$/],
  ])('%s', (_what, usages, fault) => check(apiserverClientFault(usages), fault));
});
