import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { parseWebhookCredentials } from './credentials.ts';
import { CONFIG_MAPS, allow, configMap, startWebhooks, webhook } from './webhook.fixture.ts';

const PATH = '/etc/hooks.yaml';
const configuration = {
  kind: 'WebhookAdmissionConfiguration',
  apiVersion: 'apiserver.config.k8s.io/v1',
  kubeConfigFile: PATH,
};
const user = (name: string, fields: object = { token: name }): object => ({ name, user: fields });
const file = (users: readonly object[], rest: object = {}): string => JSON.stringify({ users, ...rest });

function read(text: string, files: { [path: string]: string } = {}, given: unknown = configuration) {
  const clock = createSimulatedClock();
  const all: { [path: string]: string } = { [PATH]: text, ...files };
  const credentialsFor = parseWebhookCredentials(given, {
    vocabulary: kubernetesVocabulary,
    clock,
    readFile: (path) => {
      const found = all[path];
      if (found === undefined) throw new Error(`failed to read ${path}`);
      return found;
    },
  });
  return { clock, all, credentialsFor, token: (target: string) => credentialsFor(target)?.authorization };
}

describe('credentials for a webhook', () => {
  const users = ['hook.a.svc:8443', 'hook.a.svc', '*.a.svc', '*.svc:9443', 'example.com', '*'].map((name) =>
    user(name),
  );
  it.each([
    ['hook.a.svc:8443', 'hook.a.svc:8443'],
    ['hook.a.svc:443', 'hook.a.svc'],
    ['other.a.svc:443', '*.a.svc'],
    ['other.a.svc:9443', '*.svc:9443'],
    ['other.a.svc:1', '*'],
    ['example.com', 'example.com'],
    ['example.com:443', 'example.com'],
    ['example.com:444', '*'],
    ['b.example.com', '*'],
  ])('at %s are those of the entry %s', (target, name) => {
    expect(read(file(users)).token(target)).toBe(`Bearer ${name}`);
  });

  it('are those of the current context if no entry matches, and none without a context', () => {
    const contexts = [{ name: 'c', context: { user: 'me' } }];
    const text = file([user('me')], { contexts, 'current-context': 'c' });
    expect(read(text).token('any')).toBe('Bearer me');
    expect(read(file([user('me')])).token('any')).toBeUndefined();
    expect(read('', {}, null).token('any')).toBeUndefined();
  });

  it('contain a certificate, a password or a token, even from files relative to the configuration', () => {
    const { credentialsFor } = read(
      file([
        user('a', {
          'client-certificate': 'a.crt',
          'client-key-data': Buffer.from('KEY').toString('base64'),
        }),
        user('b', { username: 'u', password: 'p' }),
      ]),
      { '/etc/a.crt': 'CERT' },
    );
    expect(credentialsFor('a')).toEqual({ certificate: 'CERT', key: 'KEY' });
    expect(credentialsFor('b')).toEqual({ authorization: `Basic ${Buffer.from('u:p').toString('base64')}` });
  });

  it('contain the current token of a file', async () => {
    const { token, all, clock } = read(file([user('*', { tokenFile: '/t', token: 'written' })]), {
      '/t': 'one\n',
    });
    expect(token('x')).toBe('Bearer one');
    all['/t'] = 'two';
    expect(token('x')).toBe('Bearer one');
    await clock.advance(60_000);
    expect(token('x')).toBe('Bearer two');
  });

  it('are sent with the review', async () => {
    const started = await startWebhooks(
      { hook: allow },
      { configuration, files: { [PATH]: file([user('hook')]) } },
    );
    await started.configure('Validating', 'v', webhook('hook'));
    await started.call('POST', CONFIG_MAPS, configMap('c'));
    expect(started.requests[0]?.headers['authorization']).toEqual(['Bearer hook']);
  });
});

describe('configuration of webhook credentials', () => {
  it.each([
    [
      { ...configuration, kubeConfigFile: 'hooks.yaml' },
      'kubeConfigFile: Invalid value: "hooks.yaml": must be an absolute file path',
    ],
    [
      { ...configuration, kind: 'Other' },
      'expected kind WebhookAdmissionConfiguration with apiVersion apiserver.config.k8s.io/v1',
    ],
    ['text', 'expected kind WebhookAdmissionConfiguration with apiVersion apiserver.config.k8s.io/v1'],
  ])('is rejected if it is %j', (given, message) => {
    expect(() => read('{}', {}, given)).toThrow(message);
  });

  it('is rejected without a quote of its file', () => {
    expect(() => read('a: [secret')).toThrow(`${PATH} is neither YAML nor JSON`);
    expect(() => read(file([user('a', { 'client-key-data': 'c2VjcmV0' })]))).toThrow(
      `${PATH}: user "a": client-certificate and client-key go together`,
    );
    expect(() => read(file([user('a', { token: 7 })]))).toThrow(`${PATH}: user "a": token: expected text`);
  });
});
