import { componentStatuses } from '../../api/groups/core-v1-workload.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, methodNotAllowed } from '../../api/status/index.ts';
import type { ComponentStatus } from '../../api/types/core-v1-workload.ts';
import { type Outbound, readOutbound } from '../../base/http/index.ts';
import { outboundReason } from '../outbound/reason.ts';
import type { Encoded, EncodedList, ResourceRegistry } from '../registry/registry.ts';
import { parseSelection } from '../registry/read/selection.ts';

/** Health check of a cluster component. */
export interface ComponentCheck {
  /** Name of the ComponentStatus: `etcd-0`, `controller-manager` or `scheduler`. */
  readonly name: string;
  /** Checks the component. Called for each request. Never rejects. */
  readonly check: () => Promise<ComponentHealth>;
}

/** Result of a health check. */
export interface ComponentHealth {
  readonly healthy: boolean;
  /** `ok`, or a description of the failure. */
  readonly message: string;
}

const TIMEOUT_MS = 5_000;
const RESPONSE_LIMIT_BYTES = 10 * 1024;

/**
 * Returns a check that requests `/healthz` from a component on this machine. The component has a self-signed
 * certificate, so its certificate is not verified.
 */
export const healthProbe =
  (outbound: Outbound, origin: string): ComponentCheck['check'] =>
  async () => {
    try {
      const response = await outbound.send(
        { origin, insecureSkipVerify: true },
        { method: 'GET', path: '/healthz', headers: {}, headersTimeoutMs: TIMEOUT_MS },
      );
      const message = (await readOutbound(response, RESPONSE_LIMIT_BYTES)).toString('utf8');
      return { healthy: response.status >= 200 && response.status < 400, message };
    } catch (thrown) {
      const url = JSON.stringify(`${origin}/healthz`);
      return { healthy: false, message: `Get ${url}: ${outboundReason(thrown, origin)}` };
    }
  };

/**
 * Creates the registry of ComponentStatus objects. They are computed for each request and never stored;
 * watches and writes are rejected.
 */
export function createComponentStatuses(checks: readonly ComponentCheck[]): ResourceRegistry {
  const reject = (): Promise<never> => Promise.reject(methodNotAllowed());
  return {
    kind: componentStatuses,
    async get(_namespace, name) {
      const found = checks.find((each) => each.name === name);
      if (found === undefined) throw unknownComponent(name);
      return encoded(await statusOf(found));
    },
    async list(selectors) {
      const selection = parseSelection(componentStatuses, selectors);
      const objects = await Promise.all(checks.map(statusOf));
      return encodedList(
        objects.filter((object) => selection.matches(object as DeepReadonly<ComponentStatus>)),
      );
    },
    watch: reject,
    create: reject,
    update: reject,
    patch: reject,
    delete: reject,
    deleteCollection: reject,
  };
}

async function statusOf({ name, check }: ComponentCheck): Promise<ComponentStatus> {
  const { healthy, message } = await check();
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: healthy ? 'True' : 'False', message }],
  };
}

const encoded = (object: ComponentStatus): Encoded => ({
  bytes: Buffer.from(`${JSON.stringify(object)}\n`),
  object: object as DeepReadonly<ComponentStatus>,
});

function encodedList(objects: readonly ComponentStatus[]): EncodedList {
  const list = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: objects };
  return {
    resourceVersion: '',
    continueToken: '',
    remainingItemCount: undefined,
    items: objects.map(encoded),
    chunks: [Buffer.from(`${JSON.stringify(list)}\n`)],
  };
}

/** Returns the error for an unknown component: status 500 without a reason, as upstream sends. */
const unknownComponent = (name: string): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Component not found: ${name}`,
    code: 500,
  });
