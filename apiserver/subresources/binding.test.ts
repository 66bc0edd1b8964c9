import { beforeEach, describe, expect, it } from 'vitest';
import { type Call, POD, pod, startServer } from './subresources.fixture.ts';

let call: Call;

beforeEach(async () => {
  call = await startServer();
});

describe('a Binding', () => {
  const binding = {
    metadata: { name: 'p', annotations: { why: 'free' } },
    target: { kind: 'Node', name: 'n1' },
  };

  beforeEach(async () => {
    await call('POST', '/api/v1/namespaces/a/pods', pod);
  });

  it('assigns a pod to a node only once', async () => {
    expect(await call('POST', `${POD}/binding`, binding)).toMatchObject({
      status: 201,
      json: { kind: 'Status', status: 'Success' },
    });
    expect((await call('GET', POD)).json).toMatchObject({
      metadata: { annotations: { why: 'free' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await call('POST', '/api/v1/namespaces/a/bindings', binding)).toMatchObject({
      status: 409,
      json: {
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        details: { kind: 'pods/binding' },
      },
    });
  });

  it('is rejected unless it names the pod of its path and a node', async () => {
    expect(await call('POST', `${POD}/binding`, { ...binding, metadata: { name: 'q' } })).toMatchObject({
      status: 400,
      json: { message: 'name in URL does not match name in Binding object' },
    });
    expect(await call('POST', `${POD}/binding`, { ...binding, target: { kind: 'Pod' } })).toMatchObject({
      status: 500,
      json: {
        message:
          '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
      },
    });
  });

  it('is rejected with the uid of another pod', async () => {
    const uid = ((await call('GET', POD)).json['metadata'] as { uid: string }).uid;
    const other = { ...binding, metadata: { name: 'p', uid: 'other' } };
    expect(await call('POST', `${POD}/binding`, other)).toMatchObject({
      status: 409,
      json: {
        message:
          'Operation cannot be fulfilled on pods/binding "p": StorageError: invalid object, Code: 4, Key: /registry/pods/a/p, ' +
          `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
      },
    });
  });

  it('changes nothing in a dry run', async () => {
    expect((await call('POST', `${POD}/binding?dryRun=All`, binding)).status).toBe(201);
    expect((await call('GET', POD)).json['spec']).not.toHaveProperty('nodeName');
  });
});
