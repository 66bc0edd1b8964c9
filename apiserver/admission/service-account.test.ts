import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type FixtureReader, fixtureReader } from '../authorization/reader.fixture.ts';
import { admissionRequest, admit } from './request.fixture.ts';
import { createServiceAccountAdmission } from './service-account.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const account = (over: Partial<ServiceAccount> = {}, name = 'default'): ServiceAccount => ({
  ...over,
  metadata: { namespace: 'ns', name, ...over.metadata },
});
const pod = (spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: 'web', annotations },
  spec: { containers: [{ name: 'c' }], ...spec },
});
const pluginWith = (serviceAccounts: FixtureReader<ServiceAccount>, clock = createSimulatedClock()) =>
  createServiceAccountAdmission({
    serviceAccounts,
    vocabulary: v,
    random: createSeededRandom(1),
    clock,
  });
const run = (object: Pod, ...accounts: ServiceAccount[]): Promise<Pod> =>
  admit(pluginWith(fixtureReader(accounts.length === 0 ? [account()] : accounts)), { object });

describe('ServiceAccount', () => {
  it('sets the default account and mounts its token in every container', async () => {
    const { spec } = await run(pod({ initContainers: [{ name: 'i' }] }));
    expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    const [volume] = spec?.volumes ?? [];
    expect(volume).toEqual({
      name: expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/),
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
      },
    });
    for (const container of [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])])
      expect(container.volumeMounts).toEqual([{ name: volume?.name, readOnly: true, mountPath: MOUNT }]);
  });

  it("mounts no token if pod or account opts out, and the pod's setting takes precedence", async () => {
    const without = account({ automountServiceAccountToken: false });
    expect((await run(pod(), without)).spec?.volumes).toBeUndefined();
    expect((await run(pod({ automountServiceAccountToken: true }), without)).spec?.volumes).toHaveLength(1);
    expect((await run(pod({ automountServiceAccountToken: false }))).spec?.volumes).toBeUndefined();
  });

  it("keeps an existing mount at the token's path, and uses an existing token volume", async () => {
    const volumeMounts = [{ name: 'own', mountPath: MOUNT }];
    const own = await run(pod({ containers: [{ name: 'c', volumeMounts }] }));
    expect(own.spec?.volumes).toBeUndefined();
    const given = await run(pod({ volumes: [{ name: 'kube-api-access-abcde' }] }));
    expect(given.spec?.volumes).toEqual([{ name: 'kube-api-access-abcde' }]);
    expect(given.spec?.containers[0]?.volumeMounts?.[0]?.name).toBe('kube-api-access-abcde');
  });

  it('copies pull secrets only to pods without any', async () => {
    const puller = account({ imagePullSecrets: [{ name: 'a' }] });
    expect((await run(pod(), puller)).spec?.imagePullSecrets).toEqual([{ name: 'a' }]);
    const own = await run(pod({ imagePullSecrets: [{ name: 'b' }] }), puller);
    expect(own.spec?.imagePullSecrets).toEqual([{ name: 'b' }]);
  });

  it('rejects pods whose account does not exist', async () => {
    await expect(run(pod({ serviceAccountName: 'gone' }))).rejects.toThrow(
      'pods "web" is forbidden: error looking up service account ns/gone: serviceaccount "gone" not found',
    );
  });

  it('waits for the default account, which a controller creates after its namespace', async () => {
    const clock = createSimulatedClock();
    const reader = fixtureReader<ServiceAccount>();
    const admitted = admit(pluginWith(reader, clock), { object: pod() });
    await clock.advance(500);
    reader.set(account());
    await clock.advance(500);
    expect((await admitted).spec?.serviceAccountName).toBe('default');
  });

  it('waits for the default account for ten attempts, and for another account for one', async () => {
    const clock = createSimulatedClock();
    const reader = fixtureReader<ServiceAccount>();
    const plugin = pluginWith(reader, clock);
    const other = admit(plugin, { object: pod({ serviceAccountName: 'gone' }) });
    await expect(other).rejects.toThrow('serviceaccount "gone" not found');
    expect([reader.liveReads, clock.monotonic()]).toEqual([1, 0]);
    const refused = expect(admit(plugin, { object: pod() })).rejects.toThrow(
      'serviceaccount "default" not found',
    );
    await clock.advance(2_000);
    await refused;
    expect(reader.liveReads).toBe(11);
  });

  it('stops waiting when the request is aborted', async () => {
    const leaving = new AbortController();
    const request = admissionRequest({ object: pod() });
    const waiting = pluginWith(fixtureReader<ServiceAccount>()).mutate?.(request, leaving.signal);
    leaving.abort(new Error('gone away'));
    await expect(waiting).rejects.toThrow('gone away');
  });

  it('keeps an existing pod unchanged', async () => {
    const previous = pod({ serviceAccountName: 'old' });
    const object = pod({ serviceAccountName: 'old' });
    const plugin = pluginWith(fixtureReader<ServiceAccount>());
    expect(await admit(plugin, { operation: 'UPDATE', object, previous })).toEqual(previous);
    await admit(plugin, { operation: 'UPDATE', subresource: 'status', object, previous });
  });

  it('rejects a pod whose account another plugin removed', async () => {
    const request = admissionRequest({ object: pod() });
    const plugin = pluginWith(fixtureReader([account()]));
    await expect(plugin.validate?.(request, new AbortController().signal)).rejects.toThrow(
      'pods "web" is forbidden: no service account specified for pod ns/web',
    );
  });

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['t', true],
    ['false', false],
    ['yes', false],
    ['', false],
  ])('parses the annotation %j that limits an account as Go does', async (value, limits) => {
    const limited = account({ metadata: { annotations: { [v.enforceMountableSecrets]: value } } });
    const admitted = run(pod({ volumes: [{ name: 'x', secret: { secretName: 'other' } }] }), limited);
    await (limits ? expect(admitted).rejects.toThrow('is not allowed') : admitted);
  });

  it('checks ephemeral containers when they are added', async () => {
    const limited = account({
      metadata: { annotations: { [v.enforceMountableSecrets]: 'true' } },
      secrets: [{ name: 'mine' }],
    });
    const added = (name: string): Promise<Pod> =>
      admit(pluginWith(fixtureReader([limited])), {
        operation: 'UPDATE',
        subresource: 'ephemeralcontainers',
        object: pod({
          serviceAccountName: 'default',
          volumes: [{ name: 'x', secret: { secretName: 'older' } }],
          ephemeralContainers: [{ name: 'e', envFrom: [{ secretRef: { name } }] }],
        }),
      });
    await added('mine');
    await expect(added('other')).rejects.toThrow(
      'pods "web" is forbidden: ephemeral container e with envFrom referencing secret.secretName="other" is not allowed because service account default does not reference that secret',
    );
  });

  it("lets pods of a limited account use only the account's Secrets", async () => {
    const limited = account({
      metadata: { annotations: { [v.enforceMountableSecrets]: 'true' } },
      secrets: [{ name: 'mine' }],
      imagePullSecrets: [{ name: 'pull' }],
    });
    const uses = (name: string): Partial<PodSpec> => ({
      volumes: [{ name: 'x', secret: { secretName: name } }],
    });
    await run(pod(uses('mine')), limited);
    await expect(run(pod(uses('other')), limited)).rejects.toThrow(
      'volume with secret.secretName="other" is not allowed because service account default does not reference that secret',
    );
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }];
    await expect(run(pod({ containers: [{ name: 'c', env }] }), limited)).rejects.toThrow(
      'container c with envVar A referencing secret.secretName="other" is not allowed',
    );
    await expect(
      run(pod({ imagePullSecrets: [{ name: 'pull' }, { name: 'mine' }] }), limited),
    ).rejects.toThrow(
      'imagePullSecrets[1].name="mine" is not allowed because service account default does not reference that imagePullSecret',
    );
  });

  it('keeps mirror pods unchanged, and rejects mirror pods that reference API objects', async () => {
    const mirror = { 'kubernetes.io/config.mirror': 'x' };
    expect(await run(pod({}, mirror))).toEqual(pod({}, mirror));
    await expect(run(pod({ serviceAccountName: 'default' }, mirror))).rejects.toThrow(
      'a mirror pod may not reference service accounts',
    );
    await expect(run(pod({ imagePullSecrets: [{ name: 's' }] }, mirror))).rejects.toThrow(
      'a mirror pod may not reference secrets',
    );
    const sources = [{ serviceAccountToken: { path: 'token' } }];
    await expect(run(pod({ volumes: [{ name: 't', projected: { sources } }] }, mirror))).rejects.toThrow(
      'a mirror pod may not use ServiceAccountToken volume projections',
    );
  });
});
