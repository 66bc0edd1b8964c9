import { beforeEach, describe, expect, it } from 'vitest';
import { type Call, POD, pod, startServer } from './subresources.fixture.ts';

let call: Call;

const merge = (url: string, body: object): ReturnType<Call> =>
  call('PATCH', url, body, 'application/merge-patch+json');

beforeEach(async () => {
  call = await startServer();
});

describe('ephemeral containers', () => {
  const path = `${POD}/ephemeralcontainers`;
  const debug = { name: 'debug', image: 'busybox' };

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces/a/pods', pod);
  });

  it('are added to an existing pod without other changes', async () => {
    const { status, json } = await merge(path, { spec: { ephemeralContainers: [debug], nodeName: 'n1' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'Pod',
      spec: { ephemeralContainers: [{ ...debug, imagePullPolicy: 'Always' }] },
    });
    expect(json['spec']).not.toHaveProperty('nodeName');
  });

  it('cannot be changed or removed', async () => {
    await merge(path, { spec: { ephemeralContainers: [debug] } });
    const gone = await merge(path, { spec: { ephemeralContainers: null } });
    expect(gone).toMatchObject({ status: 422 });
    expect(gone.json['message']).toContain('existing ephemeral containers "debug" may not be removed');
    const changed = await merge(path, { spec: { ephemeralContainers: [{ ...debug, image: 'other' }] } });
    expect(changed.json['message']).toContain('existing ephemeral containers "debug" may not be changed');
  });
});
