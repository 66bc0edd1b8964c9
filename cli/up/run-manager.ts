import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { ComponentHealth } from '../../apiserver/aggregation/index.ts';
import type { Environment } from '../../base/environment.ts';
import { type HttpHandler, firstHeader, servePort } from '../../base/http/index.ts';
import { Lifetimes } from '../../base/lifetime/index.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import type { JournalHandler, ServerFacts } from '../../dashboard/index.ts';
import { type AssembledManager, type Transport, createPortTransport } from '../../runtime/index.ts';
import { readText } from '../../runtime/client/index.ts';
import { assembleControllers, controllerSettings } from '../manager/controllers.ts';
import {
  CONTEXTS_PATH,
  HEALTH_PATH,
  type ManagerOrder,
  REQUESTER_HEADER,
  type Step,
  type StepEnd,
  toFailure,
} from './controllers-thread-messages.ts';
import { createDashboard } from '../dashboard/parts.ts';
import { createTraces } from '../dashboard/traces.ts';
import { upFlags } from '../flags/flag-tables.ts';
import { type FlagValues, parseFlags } from '../flags/flags.ts';
import { createLiveFiles } from '../files/live-files.ts';
import { provision } from '../files/provision.ts';
import { schemeOf } from '../program/scheme-of.ts';

/**
 * Runs a controller manager in the current thread as `order` specifies. The data directory must be
 * provisioned.
 */
export function runManager(order: ManagerOrder, environment: Environment): void {
  const { steps, manager } = order;
  const flags = parseFlags(upFlags, order.argv);
  const end = (step: Step, work: Promise<unknown>): Promise<void> =>
    work.then(
      () => steps.postMessage({ step } satisfies StepEnd),
      (thrown: unknown) => steps.postMessage({ step, failure: toFailure(thrown) } satisfies StepEnd),
    );
  const assembled = assemble(order, flags, environment);
  void end('assemble', assembled);
  steps.on('message', (step: Step) => {
    if (step === 'start')
      void end(
        step,
        assembled.then((parts) => parts.start()),
      );
    else
      void end(
        step,
        assembled.then((parts) => stop(parts, environment)),
      ).then(() => {
        manager.close();
        steps.close();
      });
  });
}

async function stop(parts: Lifetimes, { log }: Environment): Promise<void> {
  const late = await parts.stop();
  if (late.length > 0) log.warn({ late }, 'parts of the controller manager did not stop in time');
}

async function assemble(
  { api, server, manager: asked }: ManagerOrder,
  flags: FlagValues<typeof upFlags>,
  environment: Environment,
): Promise<Lifetimes> {
  const vocabulary = vocabularyOf(flags.vocabulary);
  const scheme = schemeOf(flags.vocabulary);
  const facts = createPortTransport(server);
  const dashboard = createDashboard(flags, {
    scheme,
    environment,
    // Called only by requests, which arrive after the manager exists.
    controllers: () => manager,
    server: async () => {
      const { body } = await facts.send({ method: 'GET', path: '/', headers: {}, headersTimeoutMs: 0 });
      return JSON.parse(await readText(body)) as ServerFacts;
    },
  });
  const metrics = createMetrics();
  const traces = createTraces(flags['otlp-endpoint'], {
    journal: dashboard.journal,
    environment,
    metrics,
    component: `${vocabulary.short}-controller-manager`,
    contextsOf: (versions) => readContexts(facts, versions),
  });
  const live = createLiveFiles(environment);
  const provisioned = () => provision(flags['data-dir'], { vocabulary, hosts: [], environment });
  const manager = await assembleControllers({
    scheme,
    environment,
    transport: createPortTransport(api),
    settings: await controllerSettings(flags, vocabulary, { provisioned }, live),
    flags,
    journal: dashboard.journal,
    metrics,
    ...(traces.traceparentOf === undefined ? {} : { traceparentOf: traces.traceparentOf }),
  });
  live.onChange(() => manager.enqueueAll());
  servePort(asked, { handler: answers(manager, dashboard.handler) });
  const asking = { name: 'server facts', start: async () => {}, stop: () => facts.close() };
  return new Lifetimes([asking, ...dashboard.lifetimes, ...traces.lifetimes, live, manager], {
    clock: environment.clock,
  });
}

/** Asks the API server for the trace contexts of the requests that wrote resource versions. */
async function readContexts(
  server: Transport,
  versions: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const body = JSON.stringify(versions);
  const { body: contexts } = await server.send({
    method: 'POST',
    path: CONTEXTS_PATH,
    headers: {},
    body,
    headersTimeoutMs: 0,
  });
  return JSON.parse(await readText(contexts)) as Record<string, string>;
}

/** Creates a handler for the manager's health. All other paths belong to the journal. */
const answers =
  (manager: AssembledManager, journal: JournalHandler = notFound): HttpHandler =>
  (request) => {
    if (request.url !== HEALTH_PATH)
      return journal(request, requesterIn(firstHeader(request.headers, REQUESTER_HEADER)));
    const { healthy, reasons } = manager.healthy();
    const health: ComponentHealth = { healthy, message: healthy ? 'ok' : reasons.join(', ') };
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(health)) };
  };

const requesterIn = (header: string | undefined): { readonly username: string } | undefined =>
  header === undefined ? undefined : { username: decodeURIComponent(header) };

const notFound: HttpHandler = () => ({ status: 404, headers: {}, body: Buffer.of() });
