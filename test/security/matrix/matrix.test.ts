import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../../apiserver/http/request/request-info.ts';
import type { RequestInfo } from '../../../apiserver/request.ts';
import { type Credential, type MatrixCluster, createMatrixCluster } from './cluster.ts';
import { bodies, defaultBody } from './bodies.ts';
import { matrix } from './matrix.ts';
import type { Section } from './section.ts';

/** Parsed row of a section. */
interface Row {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly status: number;
  readonly why: string;
}

const LINE = /^(?<method>[A-Z]+) +(?<path>\S+)(?: +<(?<body>[^>]+)>)? +(?<status>\d{3})(?: +(?<why>.*))?$/;

const rowsOf = ({ rows }: Section): readonly Row[] =>
  rows
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const { method = '', path = '', body, status = '', why = '' } = LINE.exec(line)?.groups ?? {};
      if (method === '') throw new Error(`not a row: ${line}`);
      return { method, path, body, status: Number(status), why: why.trim() };
    });

/** Returns the server's message for the short reason of a row, such as `list deployments.apps in team`. */
function refusalOf(user: string, why: string): string {
  if (why.startsWith(':')) return why.slice(1).trim();
  const [verb = '', what = '', , namespace] = why.split(' ');
  const who = `User "${user}" cannot ${verb}`;
  if (what === 'path') return `${who} path `;
  const dot = what.indexOf('.');
  const resource = dot < 0 ? what : what.slice(0, dot);
  const group = dot < 0 ? '' : what.slice(dot + 1);
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `${who} resource "${resource}" in API group "${group}" ${where}`;
}

let cluster: MatrixCluster;
beforeAll(async () => {
  cluster = await createMatrixCluster();
});
afterAll(() => cluster.stop());

const admin = (): Credential => credential('admin');

function credential(who: string): Credential {
  const found = cluster.credentials[who];
  if (found === undefined) throw new Error(`no credential of ${JSON.stringify(who)}`);
  return found;
}

async function bodyOf(row: Row, info: RequestInfo): Promise<{ body: unknown; type?: string }> {
  if (row.method === 'GET' || row.method === 'HEAD' || row.method === 'DELETE') return { body: undefined };
  if (row.method === 'PUT') {
    const { status, text } = await cluster.call(admin(), 'GET', row.path);
    return { body: status === 200 ? JSON.parse(text) : {} };
  }
  const named = row.body === undefined ? undefined : bodies[row.body];
  if (row.body !== undefined && named === undefined) throw new Error(`no body <${row.body}>`);
  const { content, type } = named ?? defaultBody(row.method, info.resource, info.subresource, info.name);
  const merge = row.method === 'PATCH' ? 'application/merge-patch+json' : undefined;
  const sent = type ?? merge;
  return { body: sent?.includes('apply') ? await typed(row, content) : content, ...(sent && { type: sent }) };
}

/** Returns the content with kind and apiVersion, which an applied object must contain. */
async function typed(row: Row, content: object): Promise<object> {
  const { text } = await cluster.call(admin(), 'GET', row.path);
  const found = JSON.parse(text) as { readonly kind?: string; readonly apiVersion?: string };
  const isStatus = found.kind === 'Status';
  return {
    kind: isStatus ? 'ClusterRole' : found.kind,
    apiVersion: isStatus ? 'rbac.authorization.k8s.io/v1' : found.apiVersion,
    metadata: { name: row.path.slice(row.path.lastIndexOf('/') + 1) },
    ...content,
  };
}

function urlOf({ method, path, body }: Row, info: RequestInfo): string {
  const writes = method !== 'GET' && method !== 'HEAD' && info.isResourceRequest;
  const apply = body?.startsWith('apply') ? '&fieldManager=matrix&force=true' : '';
  return writes ? `${path}?dryRun=All${apply}` : path;
}

/** Returns the binding that allows a request, according to an access review with the same attributes. */
async function allowedBy({ user }: Credential, info: RequestInfo): Promise<string> {
  const { verb, path, group, version, resource, subresource, namespace, name } = info;
  const spec = {
    user: user.username,
    groups: user.groups,
    ...(info.isResourceRequest
      ? { resourceAttributes: { verb, group, version, resource, subresource, namespace, name } }
      : { nonResourceAttributes: { verb, path } }),
  };
  const { text } = await cluster.call(admin(), 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: { spec },
  });
  const { allowed, reason = '' } = (
    JSON.parse(text) as { readonly status: { readonly allowed: boolean; readonly reason?: string } }
  ).status;
  const binding = /Binding "([^"/]+)/.exec(reason)?.[1];
  if (!allowed) return 'nobody';
  if (binding !== undefined) return binding;
  return user.groups.includes('system:masters') ? 'system:masters' : 'Node';
}

describe.each(matrix)('$who: $shows', (section) => {
  it.each(rowsOf(section))('$method $path $body $status $why', async (row) => {
    const as = credential(section.who);
    const info = parseRequestInfo(row.method, row.path);
    const { body, type } = await bodyOf(row, info);
    const answer = await cluster.call(as, row.method, urlOf(row, info), {
      body: type === undefined ? body : JSON.stringify(body),
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
    expect({ status: answer.status, message: answer.status === row.status ? '' : answer.message }).toEqual({
      status: row.status,
      message: '',
    });
    if (row.status === 401) expect(answer.message).toBe('Unauthorized');
    else if (row.status > 401) expect(answer.message).toContain(refusalOf(as.user.username, row.why));
    else expect(await allowedBy(as, info)).toBe(row.why);
  });
});

describe('authorization matrix', () => {
  it('has at least 400 distinct rows', () => {
    const lines = matrix.flatMap((section) =>
      rowsOf(section).map(({ method, path, body }) => [section.who, method, path, body].join(' ')),
    );
    expect(lines.length).toBeGreaterThanOrEqual(400);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('has rows for every credential except those of the set-up', () => {
    expect(Object.keys(cluster.credentials).toSorted()).toEqual(
      [...new Set(matrix.map(({ who }) => who))].toSorted(),
    );
  });
});
