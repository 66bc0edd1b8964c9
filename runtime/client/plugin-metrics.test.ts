import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createCertificateAuthority } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type ExecCredentialOptions, execCredentials } from './exec-credential.ts';
import { createPluginMetrics } from './plugin-metrics.ts';

const HOUR = 3_600_000;
const apiVersion = 'client.authentication.orch.io/v1';

/** A plugin whose runs have the given outcomes, in order, and the metrics of its runs. */
function plugin(...outcomes: readonly (object | number | Error)[]) {
  const clock = createSimulatedClock();
  const metrics = createMetrics();
  const run: ExecCredentialOptions['run'] = () => {
    const outcome = outcomes[ran++];
    if (outcome instanceof Error) return Promise.reject(outcome);
    const status = typeof outcome === 'number' ? {} : outcome;
    return Promise.resolve({
      exitCode: typeof outcome === 'number' ? outcome : 0,
      stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }),
    });
  };
  let ran = 0;
  const pluginMetrics = createPluginMetrics(metrics, clock);
  const credentials = execCredentials({
    exec: { command: 'login', args: [], env: {}, apiVersion, interactiveMode: 'Never' },
    vocabulary: orchVocabulary,
    clock,
    environment: {},
    terminal: false,
    run,
    metrics: pluginMetrics,
  });
  return {
    clock,
    /** Requests credentials and discards them. */
    async ask() {
      await credentials.rejected(await credentials.get().catch(() => ({})));
    },
    lines: async (name: string) =>
      (await metrics.expose()).text.split('\n').filter((line) => line.startsWith(name)),
  };
}

/** Returns a certificate valid from an hour before `atMs` until `hours` after it. */
const certificate = (atMs: number, hours: number) => {
  const validity = { notBeforeMs: atMs - HOUR, notAfterMs: atMs + hours * HOUR };
  const keys = generateKeyPair('ec-p256');
  const authority = createCertificateAuthority(
    { commonName: 'client', organizations: [] },
    keys,
    validity,
    createSeededRandom(1),
  );
  return { clientCertificateData: authority.certificatePem, clientKeyData: privateKeyPem(keys.privateKey) };
};

describe('createPluginMetrics', () => {
  it.each<[string, object | number | Error, string]>([
    ['succeeded', { token: 't' }, 'call_status="no_error",code="0"'],
    ['failed', 3, 'call_status="plugin_execution_error",code="3"'],
    [
      'had no program',
      Object.assign(new Error('gone'), { code: 'ENOENT' }),
      'call_status="plugin_not_found_error",code="1"',
    ],
    ['could not be started', new Error('no memory'), 'call_status="client_internal_error",code="1"'],
  ])('counts a run that %s', async (_what, outcome, labels) => {
    const { ask, lines } = plugin(outcome);
    await ask();
    expect(await lines('rest_client_exec_plugin_call_total')).toEqual([
      `rest_client_exec_plugin_call_total{${labels}} 1`,
    ]);
  });

  it('reports the remaining lifetime of the certificate, or +Inf without a certificate', async () => {
    const at = createSimulatedClock().now();
    const { ask, lines, clock } = plugin(certificate(at, 5), { token: 't' });
    expect(await lines('rest_client_exec_plugin_ttl_seconds')).toEqual([
      'rest_client_exec_plugin_ttl_seconds +Inf',
    ]);
    await ask();
    await clock.advance(2 * HOUR);
    expect(await lines('rest_client_exec_plugin_ttl_seconds')).toEqual([
      `rest_client_exec_plugin_ttl_seconds ${3 * 3600}`,
    ]);
    await clock.advance(4 * HOUR);
    expect(await lines('rest_client_exec_plugin_ttl_seconds')).toEqual([
      `rest_client_exec_plugin_ttl_seconds ${-3600}`,
    ]);
    await ask();
    expect(await lines('rest_client_exec_plugin_ttl_seconds')).toEqual([
      'rest_client_exec_plugin_ttl_seconds +Inf',
    ]);
  });

  it('reports the age of a replaced certificate', async () => {
    const at = createSimulatedClock().now();
    const first = certificate(at, 50);
    const { ask, lines, clock } = plugin(first, first, certificate(at, 60));
    await ask();
    await clock.advance(HOUR);
    await ask();
    const name = 'rest_client_exec_plugin_certificate_rotation_age';
    expect(await lines(`${name}_count`)).toEqual([`${name}_count 0`]);
    await clock.advance(2 * HOUR);
    await ask();
    expect(await lines(`${name}_count`)).toEqual([`${name}_count 1`]);
    expect(await lines(`${name}_sum`)).toEqual([`${name}_sum ${4 * 3600}`]);
    expect(await lines(`${name}_bucket{le="14400"}`)).toEqual([`${name}_bucket{le="14400"} 1`]);
  });
});
