import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from './storage/memory.ts';
import { stampResourceVersion } from './storage/stamp.ts';
import { type Storage, StorageError } from './storage/storage.ts';
import { COLLECTION, CONFIG_MAP, ITEM, startServer, startWithOne } from './server.fixture.ts';

describe('the API server rejects', () => {
  it('an invalid credential with 401, even if it accepts anonymous requests', async () => {
    const { call } = await startServer();
    const { status, json } = await call('GET', COLLECTION, { headers: { user: 'bad' } });
    expect(status).toBe(401);
    expect(json).toMatchObject({ reason: 'Unauthorized', message: 'Unauthorized' });
  });

  it.each([
    [
      'GET',
      COLLECTION,
      'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "a"',
    ],
    [
      'GET',
      '/api/v1/namespaces',
      'namespaces is forbidden: User "alice" cannot list resource "namespaces" in API group "" at the cluster scope',
    ],
    [
      'PUT',
      '/apis/batch/v1/namespaces/a/cronjobs/x/status',
      'cronjobs.batch "x" is forbidden: User "alice" cannot update resource "cronjobs/status" in API group "batch" in the namespace "a"',
    ],
    ['GET', '/metrics', 'forbidden: User "alice" cannot get path "/metrics"'],
  ])('%s %s by a user without the right', async (method, url, message) => {
    const { call } = await startServer();
    const { status, json } = await call(method, url, { headers: { user: 'alice' } });
    expect(status).toBe(403);
    expect(json).toMatchObject({ reason: 'Forbidden', message });
  });

  it.each([
    ['GET', '/api/v1/foos', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v2', 404, 'the server could not find the requested resource'],
    ['GET', '/apis/batch/v9', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/namespaces/a/configmaps/c/foo', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/configmaps/c', 404, 'the server could not find the requested resource'],
    ['POST', '/api/v1/configmaps/c', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/namespaces/a/namespaces', 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/namespaces/a/namespaces/a', 404, 'the server could not find the requested resource'],
    [
      'GET',
      '/apis/authentication.k8s.io/v1/tokenreviews/x',
      404,
      'the server could not find the requested resource',
    ],
    [
      'GET',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      405,
      'the server does not allow this method on the requested resource',
    ],
    ['POST', '/api/v1/configmaps', 405, 'the server does not allow this method on the requested resource'],
    ['OPTIONS', ITEM, 405, 'the server does not allow this method on the requested resource'],
    ['HEAD', ITEM, 405, 'the server does not allow this method on the requested resource'],
    ['PUT', COLLECTION, 405, 'the server does not allow this method on the requested resource'],
    ['POST', '/api', 405, 'the server does not allow this method on the requested resource'],
    ['GET', `${COLLECTION}?limit=abc`, 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['GET', `${COLLECTION}?limit=`, 400, 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'GET',
      `${COLLECTION}?limit=9223372036854775808`,
      400,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    ['GET', `${COLLECTION}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
    ['DELETE', `${COLLECTION}/a%25b`, 400, `Name parameter invalid: "a%b": may not contain '%'`],
    ['GET', '/api/v1/pods/%zz', 400, 'invalid URL escape in the path'],
  ])('%s %s with %i', async (method, url, code, message) => {
    const { call } = await startServer();
    const { status, json } = await call(method, url);
    expect(status).toBe(code);
    expect(json).toMatchObject({ kind: 'Status', message });
  });

  it.each(['/apis/nope/v1/things', '/nope', '/healthz/nope', '//api'])(
    'the unknown path %s in plain text',
    async (path) => {
      const { call } = await startServer();
      const { status, text } = await call('GET', path);
      expect([status, text]).toEqual([404, '404 page not found\n']);
    },
  );

  it('writes, but not reads, deletions and probes, while its store is full', async () => {
    const room = createMemoryStorage({ stamp: stampResourceVersion });
    let isFull = false;
    const put: typeof room.put = (...given) =>
      isFull ? Promise.reject(new StorageError('ERR_NO_ROOM', 'the disk is full')) : room.put(...given);
    const storage = new Proxy(room, {
      get: (target, name) =>
        name === 'put' ? put : (target[name as keyof Storage] as () => unknown).bind(target),
    });
    const { call } = await startServer({ storage });
    await call('POST', COLLECTION, { body: CONFIG_MAP });
    isFull = true;
    const refused = await call('PUT', ITEM, { body: { ...CONFIG_MAP, data: {} } });
    expect([refused.status, refused.json['message']]).toEqual([500, 'the disk is full']);
    for (const path of ['/readyz', '/livez', '/healthz', ITEM])
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    expect((await call('DELETE', ITEM)).status).toBe(200);
  });

  it('unsupported media types and names the supported ones', async () => {
    const { call } = await startServer();
    const headers = { 'content-type': 'text/plain' };
    const { status, json } = await call('POST', COLLECTION, { headers, body: 'x' });
    expect(status).toBe(415);
    expect(json['message']).toContain('accepted media types include: application/json, application/yaml');
    const patch = await call('PATCH', ITEM, { body: {}, headers: { 'content-length': '2' } });
    expect(patch.json).toMatchObject({ code: 415, message: '415: Unsupported Media Type', details: {} });
    const empty = await call('PATCH', ITEM, {});
    expect(empty.json).toMatchObject({ code: 406, message: '406: Not Acceptable', details: {} });
    const unread = await call('GET', ITEM, { headers: { accept: 'text/html' } });
    expect(unread.json).toMatchObject({ code: 406, message: '406: Not Acceptable', details: {} });
    const none = { 'content-type': ';;' };
    expect((await call('POST', COLLECTION, { headers: none, body: '{}' })).status).toBe(415);
  });

  it('a page limit only above the largest 64-bit integer', async () => {
    const { call } = await startServer();
    expect((await call('GET', `${COLLECTION}?limit=9223372036854775807`)).status).toBe(200);
  });

  it('bodies that are too large, empty or no object', async () => {
    const { call } = await startServer();
    const large = await call('POST', COLLECTION, { body: 'x'.repeat(3 * 1024 * 1024 + 1) });
    expect([large.status, large.json['message']]).toEqual([
      413,
      'Request entity too large: limit is 3145728',
    ]);
    const empty = await call('POST', COLLECTION, { body: '' });
    expect(empty.status).toBe(400);
    expect(empty.json['message']).toContain('must be of type ConfigMap');
    expect(empty.json['message']).toContain('(<empty>)');
    expect((await call('POST', COLLECTION, { body: '[]' })).status).toBe(400);
  });

  it.each([
    [
      'POST',
      `${COLLECTION}?dryRun=Some`,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{"Some"}: supported values: "All"',
    ],
    [
      'POST',
      `${COLLECTION}?fieldValidation=No`,
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "No": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [
      'DELETE',
      `${ITEM}?propagationPolicy=Bogus`,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ])('%s %s with 422', async (method, url, message) => {
    const { call } = await startWithOne();
    const { status, json } = await call(method, url, method === 'POST' ? { body: CONFIG_MAP } : {});
    expect(status).toBe(422);
    expect(json['message']).toBe(message);
  });

  it.each([
    ['uid=other', 'the UID in the precondition (other) does not match'],
    ['resourceVersion=1', 'the ResourceVersion in the precondition (1) does not match'],
  ])('a deletion whose precondition %s in the query does not match, with 409', async (query, message) => {
    const { call } = await startWithOne();
    const { status, json } = await call('DELETE', `${ITEM}?${query}`);
    expect([status, json['message']]).toEqual([409, expect.stringContaining(message)]);
  });

  // Upstream passes its decoder's error on without a reason, which results in a 500.
  it.each([
    ['{bad', "couldn't get version/kind; json parse error: invalid character 'b'"],
    [
      '{"kind":"ConfigMap","apiVersion":"v1"}',
      'no kind "ConfigMap" is registered for version "v1" in scheme',
    ],
    ['{"gracePeriodSeconds":"x"}', 'json: cannot unmarshal string into Go struct field'],
  ])('undecodable delete options: %s', async (body, message) => {
    const { call } = await startWithOne();
    const { status, json } = await call('DELETE', ITEM, { body });
    expect([status, json['reason']]).toEqual([500, undefined]);
    expect(json['message']).toContain(message);
  });

  it('an apply without a field manager', async () => {
    const { call } = await startWithOne();
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const { status, json } = await call('PATCH', ITEM, { headers, body: JSON.stringify(CONFIG_MAP) });
    expect(status).toBe(422);
    expect(json['message']).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });
});
