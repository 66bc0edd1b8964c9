import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credential, type MatrixCluster, createMatrixCluster } from './matrix/cluster.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let cluster: MatrixCluster;
beforeAll(async () => {
  cluster = await createMatrixCluster();
});
afterAll(() => cluster.stop());

function credential(who: string): Credential {
  const found = cluster.credentials[who];
  if (found === undefined) throw new Error(`no credential of ${JSON.stringify(who)}`);
  return found;
}

const asking =
  (who: string, path: string) =>
  async (at = path): Promise<number> =>
    (await cluster.call(credential(who), 'GET', at)).status;

/** Sends a change as the administrator. */
async function change(method: string, at: string, body?: object): Promise<void> {
  const headers = method === 'PATCH' ? MERGE : {};
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { status, message } = await cluster.call(credential('admin'), method, at, { headers, body: text });
  if (status >= 300) throw new Error(`${method} ${at}: ${status} ${message}`);
}

describe('a permission', () => {
  it('takes effect, or ends, with the response to the request that changes it', async () => {
    const ask = asking('viewer', '/api/v1/namespaces/team/pods');
    const binding = `${rbac}/namespaces/team/rolebindings`;
    expect(await ask()).toBe(200);
    await change('DELETE', `${binding}/viewers`);
    expect(await ask()).toBe(403);
    await change('POST', binding, {
      metadata: { name: 'again' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'viewer' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    });
    expect(await ask()).toBe(200);
    await change('PATCH', `${binding}/again`, { subjects: [] });
    expect(await ask()).toBe(403);
  });

  it('ends with the rule that grants it', async () => {
    const ask = asking('operator', '/metrics');
    expect(await ask()).toBe(200);
    await change('PATCH', `${rbac}/clusterroles/operations`, { rules: [] });
    expect(await ask()).toBe(403);
  });

  it('to create tokens covers only pods on the node', async () => {
    const inTeam = '/api/v1/namespaces/team';
    const uidOf = async (name: string): Promise<string> => {
      const { text } = await cluster.call(credential('admin'), 'GET', `${inTeam}/pods/${name}`);
      return (JSON.parse(text) as { readonly metadata: { readonly uid: string } }).metadata.uid;
    };
    const token = async (name: string, uid: string) => {
      const spec = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } };
      const path = `${inTeam}/serviceaccounts/robot/token`;
      const { status, message } = await cluster.call(credential('node n1'), 'POST', path, { body: { spec } });
      return status === 201 ? 201 : message;
    };
    expect(await token('web', await uidOf('web'))).toBe(201);
    expect(await token('web', 'another')).toContain('does not match the UID in record');
    expect(await token('far', await uidOf('far'))).toContain(
      'node requested token bound to a pod scheduled on a different node',
    );
  });

  it('derived from a pod ends for the node with that pod', async () => {
    const secret = '/api/v1/namespaces/team/secrets/tls';
    const ask = asking('node n1', secret);
    expect(await ask()).toBe(200);
    expect(await ask('/api/v1/namespaces/team/secrets/mount')).toBe(200);
    await change('DELETE', '/api/v1/namespaces/team/pods/web?gracePeriodSeconds=0');
    expect(await ask()).toBe(403);
    expect(await ask('/api/v1/namespaces/team/secrets/mount')).toBe(403);
  });

  it('granted to a ServiceAccount ends with the ServiceAccount', async () => {
    const ask = asking('robot', '/api/v1/namespaces/team/configmaps/app');
    expect(await ask()).toBe(200);
    await change('DELETE', '/api/v1/namespaces/team/serviceaccounts/robot');
    expect(await ask()).toBe(401);
  });
});
