import { describe, expect, it } from 'vitest';
import { COLLECTION, ITEM, start } from './conventions.fixture.ts';

describe('the metrics of a server', () => {
  it('include features, objects, admission and users, and hide deprecated metrics', async () => {
    const { call } = await start();
    await call('GET', ITEM, { headers: { user: 'system:anonymous' } });
    const { text } = await call('GET', '/metrics');
    expect(text).toContain('kubernetes_feature_enabled{name="CronJobTimeZone",stage="ALPHA"} 0');
    expect(text).toContain('apiserver_storage_objects{resource="configmaps"} 2');
    expect(text).toContain(
      'apiserver_admission_controller_admission_duration_seconds_count{name="Test",operation="CREATE",rejected="false",type="validate"} 3',
    );
    expect(text).toContain('authenticated_user_requests{username="other"} 1');
    expect(text).toMatch(/apiserver_response_sizes_count\{.*resource="configmaps".*verb="GET".*\} 1/);
    expect(text).not.toContain('apiserver_longrunning_gauge');
  });

  it('include what lists read from the cache and from the store', async () => {
    const { call } = await start();
    await call('GET', `${COLLECTION}?resourceVersion=0`);
    await call('GET', `${COLLECTION}?limit=1&fieldSelector=metadata.name!=c`);
    const { json } = await call('GET', `${COLLECTION}?limit=1`);
    const { continue: token = '' } = json.metadata as { continue?: string };
    await call('GET', `${COLLECTION}?limit=1&continue=${encodeURIComponent(token)}`);
    const { text } = await call('GET', '/metrics');
    for (const line of [
      'cache_list_total{index="",resource_prefix="/configmaps"} 3',
      'cache_list_fetched_objects_total{index="",resource_prefix="/configmaps"} 6',
      'cache_list_returned_objects_total{resource_prefix="/configmaps"} 4',
      'storage_list_total{resource="configmaps"} 1',
      'storage_list_fetched_objects_total{resource="configmaps"} 1',
      'storage_list_evaluated_objects_total{resource="configmaps"} 1',
      'storage_list_returned_objects_total{resource="configmaps"} 1',
    ])
      expect(text).toContain(`apiserver_${line}\n`);
  });

  it('include the durations of filters, of admission phases, and of requests without webhooks', async () => {
    const { call } = await start();
    await call('GET', COLLECTION);
    await call('GET', COLLECTION, { headers: { user: 'system:apiserver' } });
    const { text } = await call('GET', '/metrics');
    for (const filter of ['authentication', 'audit', 'impersonation', 'priorityandfairness', 'authorization'])
      expect(text).toMatch(
        new RegExp(`apiserver_request_filter_duration_seconds_count\\{filter="${filter}"\\} [1-9]`),
      );
    const step = 'apiserver_admission_step_admission_duration_seconds_summary';
    expect(text).toContain(`# TYPE ${step} summary`);
    expect(text).toMatch(new RegExp(`${step}\\{operation="CREATE",.*type="validate",quantile="0.99"\\} `));
    expect(text).toMatch(/apiserver_request_slo_duration_seconds_count\{.*group="",.*verb="LIST",.*\} 2\n/);
    expect(text).toContain('apiserver_selfrequest_total{resource="configmaps",subresource="",verb="LIST"} 1');
    expect(text).toContain('# TYPE apiserver_request_aborts_total counter');
  });

  it('include the duration of store operations by object type', async () => {
    const { call } = await start();
    await call('PATCH', ITEM, {
      body: { data: { a: 'b' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await call('DELETE', ITEM);
    const { text } = await call('GET', '/metrics');
    const lines = [...text.matchAll(/^etcd_request_duration_seconds_count\{(.*ConfigMap.*)\} (\d+)$/gm)];
    expect(Object.fromEntries(lines.map(([, labels, count]) => [labels, Number(count)]))).toMatchObject({
      'operation="create",type="*core.ConfigMap"': 2,
      'operation="update",type="*core.ConfigMap"': 1,
      'operation="delete",type="*core.ConfigMap"': 1,
      'operation="list",type="*core.ConfigMapList"': 1,
    });
    expect(text).toContain(
      'etcd_request_duration_seconds_bucket{operation="create",type="*core.ConfigMap",le="0.005"}',
    );
  });

  it('include the number of initial objects of watches', async () => {
    const { call, caller } = await start();
    await caller.request('GET', `${COLLECTION}?watch=1&resourceVersion=0`);
    expect((await call('GET', '/metrics')).text).toContain(
      'apiserver_init_events_total{resource="*core.ConfigMap"} 2',
    );
  });

  it('include connections with the verb CONNECT', async () => {
    const { call } = await start();
    await call('POST', '/api/v1/namespaces/a/pods/p/exec?command=ls');
    const { text } = await call('GET', '/metrics');
    expect(text).toMatch(/apiserver_request_total\{code="404",.*subresource="exec",verb="CONNECT",.*\} 1/);
  });
});
