import { describe, expect, it } from 'vitest';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { apiserverClientFault, nodeClientFault, nodeServingFault } from './signer-rules.ts';

type Request = Parameters<typeof nodeClientFault>[0];

/** What the signer says against it, whole or what it matches; undefined when it signs. */
type Said = string | RegExp | undefined;
function check(said: string | undefined, wanted: Said): void {
  if (wanted instanceof RegExp) expect(said).toMatch(wanted);
  else expect(said).toBe(wanted);
}

/** A node agent's request; what a row says of it takes the place of what it has. */
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

describe('a client certificate of a node agent', () => {
  it.each<[string, Partial<Request>, readonly string[], Said]>([
    ['is signed', {}, CLIENT, undefined],
    ['whose usages stand in another order', {}, [...CLIENT].reverse(), undefined],
    ['that says a usage twice', {}, [...CLIENT, 'client auth'], undefined],
    ['of no organization', subject('system:node:n1'), CLIENT, ORGANIZATION],
    ['of another organization', subject('system:node:n1', 'system:masters'), CLIENT, ORGANIZATION],
    ['of a further organization', subject('system:node:n1', 'system:nodes', 'dev'), CLIENT, ORGANIZATION],
    ['of a person', subject('jane', 'system:nodes'), CLIENT, NAME],
    ['without a name', subject('', 'system:nodes'), CLIENT, NAME],
    ['with a DNS name', { dnsNames: ['n1'] }, CLIENT, 'DNS subjectAltNames are not allowed'],
    ['with an IP address', { ipAddresses: ['10.0.0.1'] }, CLIENT, 'IP subjectAltNames are not allowed'],
    ['with an e-mail address', { emailAddresses: ['a@b'] }, CLIENT, 'Email subjectAltNames are not allowed'],
    ['with a URI', { uris: ['spiffe://x'] }, CLIENT, 'URI subjectAltNames are not allowed'],
    ['for no client', {}, CLIENT.slice(0, 2), /^usages did not match/],
    ['for servers too', {}, [...CLIENT, 'server auth'], /^usages did not match/],
    ['for servers instead', {}, SERVING, /^usages did not match/],
    ['that may sign others', {}, [...CLIENT, 'cert sign'], /^usages did not match/],
    ['for nothing', {}, [], /^usages did not match/],
  ])('%s', (_what, changes, usages, fault) => check(nodeClientFault(requested(changes), usages), fault));
});

describe('a serving certificate of a node agent', () => {
  const named = { dnsNames: ['n1'] };
  it.each<[string, Partial<Request>, readonly string[], Said]>([
    ['with a DNS name is signed', named, SERVING, undefined],
    ['with an IP address is signed', { ipAddresses: ['10.0.0.1'] }, SERVING, undefined],
    ['with both is signed', { ...named, ipAddresses: ['10.0.0.1'] }, SERVING, undefined],
    ['with neither', {}, SERVING, 'DNS or IP subjectAltName is required'],
    [
      'with an e-mail address alone',
      { emailAddresses: ['a@b'] },
      SERVING,
      'DNS or IP subjectAltName is required',
    ],
    [
      'with an e-mail address too',
      { ...named, emailAddresses: ['a@b'] },
      SERVING,
      'Email subjectAltNames are not allowed',
    ],
    ['with a URI too', { ...named, uris: ['spiffe://x'] }, SERVING, 'URI subjectAltNames are not allowed'],
    ['of another organization', { ...named, ...subject('system:node:n1', 'dev') }, SERVING, ORGANIZATION],
    ['of a person', { ...named, ...subject('jane', 'system:nodes') }, SERVING, NAME],
    ['for clients too', named, [...SERVING, 'client auth'], /^usages did not match/],
    ['for clients instead', named, CLIENT, /^usages did not match/],
    ['without key encipherment', named, ['digital signature', 'server auth'], /^usages did not match/],
  ])('%s', (_what, changes, usages, fault) => check(nodeServingFault(requested(changes), usages), fault));
});

describe('a client certificate of the API server', () => {
  it.each<[string, readonly string[], Said]>([
    ['for clients is signed', ['client auth'], undefined],
    ['with the usages of TLS is signed', CLIENT, undefined],
    ['for no client', ['digital signature'], 'missing required usage for client certificate: client auth'],
    ['for servers instead', ['server auth'], 'invalid usage for client certificate: server auth'],
    ['for servers too', ['client auth', 'server auth'], 'invalid usage for client certificate: server auth'],
    ['that may sign others', ['client auth', 'cert sign', 'crl sign'], /: cert sign$/],
    ['for anything', ['client auth', 'any'], /: any$/],
  ])('%s', (_what, usages, fault) => check(apiserverClientFault(usages), fault));
});
