import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { loadInClusterConfig } from './in-cluster.ts';
import { PEM, setUp } from './kubeconfig.fixture.ts';

describe('loadInClusterConfig', () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';

  it('uses the environment and the mounted directory', async () => {
    const { clock, options } = setUp({
      [`${folder}/ca.crt`]: PEM,
      [`${folder}/token`]: 'abc',
      [`${folder}/namespace`]: 'team',
    });
    const loaded = await loadInClusterConfig({
      vocabulary: kubernetesVocabulary,
      environment: {
        KUBERNETES_SERVICE_HOST: 'fd00::1',
        KUBERNETES_SERVICE_PORT: '443',
        HTTPS_PROXY: 'http://proxy:3128',
      },
      readFile: options.readFile,
      clock,
    });
    expect(loaded).toMatchObject({
      server: 'https://[fd00::1]:443',
      tls: { ca: PEM },
      proxyUrl: 'http://proxy:3128',
      namespace: 'team',
    });
    expect(await loaded.credentials.get()).toEqual({ authorization: 'Bearer abc' });
  });

  it('names the missing environment variables outside a cluster', async () => {
    const { clock, options } = setUp();
    await expect(
      loadInClusterConfig({
        vocabulary: orchVocabulary,
        environment: {},
        readFile: options.readFile,
        clock,
      }),
    ).rejects.toThrow(/expected the variables ORCH_SERVICE_HOST and ORCH_SERVICE_PORT/);
  });
});
