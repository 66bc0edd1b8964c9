import { describe, expect, it } from 'vitest';
import { setUp } from './service-account.fixture.ts';

describe('token request', () => {
  it('issues a token of one hour for the API server by default', async () => {
    const { ask, authenticator } = setUp();
    const { spec, status, metadata } = await ask();
    expect(spec).toMatchObject({ audiences: ['api'], expirationSeconds: 3600 });
    expect(metadata).toMatchObject({ name: 'robot', namespace: 'ns' });
    expect(status?.expirationTimestamp).toBe('2026-01-01T01:00:00Z');
    expect(await authenticator.authenticateToken(status?.token ?? '', [])).toEqual({
      user: {
        username: 'system:serviceaccount:ns:robot',
        uid: 'u1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      },
      audiences: ['api'],
    });
  });

  it('rejects a name other than that of the requested account', async () => {
    const { ask } = setUp();
    const named = async (name: string) => (await ask({}, [], { name })).metadata?.name;
    expect([await named(''), await named('robot')]).toEqual(['robot', 'robot']);
    await expect(named('toaster')).rejects.toThrow(
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "toaster": must match the service account name if specified',
    );
  });

  it('rejects lifetimes out of range, and objects to which a token cannot be bound', async () => {
    const { ask } = setUp();
    await expect(ask({ expirationSeconds: 599 })).rejects.toThrow(
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    );
    await expect(ask({ expirationSeconds: 2 ** 33 })).rejects.toMatchObject({ code: 422 });
    const bind = (kind: string, name: string, uid = '', apiVersion = 'v1') =>
      ask({ boundObjectRef: { kind, name, uid, apiVersion } });
    await expect(bind('ConfigMap', 'x')).rejects.toThrow(
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    );
    await expect(bind('Pod', 'gone')).rejects.toThrow('pods "gone" not found');
    await expect(bind('Secret', 's', 'old')).rejects.toMatchObject({ code: 409 });
    const { ask: other, pods } = setUp();
    pods.set({
      metadata: { namespace: 'ns', name: 'p' },
      spec: { containers: [], serviceAccountName: 'else' },
    });
    await expect(
      other({ boundObjectRef: { kind: 'Pod', name: 'p', apiVersion: 'v1' } }),
    ).rejects.toMatchObject({
      code: 400,
    });
  });
});
