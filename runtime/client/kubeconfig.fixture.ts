import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { KubeconfigOptions } from './kubeconfig-options.ts';

export const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
export const data = Buffer.from(PEM).toString('base64');
export const SECRET = 'c2VjcmV0LXZhbHVl';

export const config = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'team' } },
      { name: 'bare', context: { cluster: 'c' } },
      { name: 'lost', context: { cluster: 'c', user: 'nobody' } },
    ],
  });

export function setUp(files: Readonly<Record<string, string>> = {}) {
  const clock = createSimulatedClock();
  const held = new Map(Object.entries(files));
  const options: KubeconfigOptions = {
    path: '/etc/orch/admin.conf',
    vocabulary: orchVocabulary,
    clock,
    readFile: (path) => {
      const text = held.get(path);
      return text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);
    },
  };
  return { clock, held, options };
}
