import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { badRequest } from '../../api/status/api-error.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { type HttpResponse, firstHeader } from '../../base/http/message.ts';
import type { Outbound } from '../../base/http/outbound.ts';
import type { Random } from '../../base/random/random.ts';
import { type Connector, restOf } from '../http/connect.ts';
import type { Registry } from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { createLocations } from './locations.ts';
import { logPath, validateLogOptions } from './pod-log.ts';
import { proxied } from './proxied.ts';
import { unexplained } from './unexplained.ts';

export interface ConnectorOptions {
  readonly registry: Registry;
  /** Carries requests to pods, nodes and services; without it there are none. */
  readonly outbound: Outbound | undefined;
  readonly random: Random;
}

/**
 * Connects to pods, nodes and services (release 1.24, the `Location` functions of their stores). Logs and proxied requests
 * are handed on; exec, attach and portforward need another protocol, which this server does not hand on, and are refused
 * last, after all that the real system refuses first.
 */
export function createConnector({ registry, outbound, random }: ConnectorOptions): Connector {
  const locations = createLocations(registry, random);

  async function checkStream(
    namespace: string,
    name: string,
    options: object,
    isExec: boolean,
  ): Promise<void> {
    const pod = await locations.pod(namespace, name);
    if (isExec) containerOf(pod, options);
    if ((pod.spec?.nodeName ?? '') === '') throw badRequest(`pod ${name} does not have a host assigned`);
    await locations.agent(pod.spec?.nodeName ?? '');
  }

  async function answerProxy({ info, http }: RequestContext, kind: AnyKind): Promise<HttpResponse> {
    const peer = await locations.proxied(kind.plural, info.namespace, info.name);
    // As it was sent, not as it was read: what is escaped in it is escaped for whom it is for.
    const [own = '', query = ''] = http.url.split(/\?(.*)/s);
    const path = restOf(own, kind.namespaced);
    const asked = query === '' ? '' : `?${query}`;
    // So that what a page says of itself relatively is meant below the proxy's path.
    if (path === '' && (http.method === 'GET' || http.method === 'HEAD'))
      return { status: 301, headers: { location: `${own}/${asked}` }, body: new Uint8Array() };
    const prefix = own.slice(0, own.length - path.length);
    return proxied(http, outbound, { peer, path: `${path || '/'}${asked}`, prefix });
  }

  async function answerLog({ info, http }: RequestContext, options: object): Promise<HttpResponse> {
    const { namespace, name } = info;
    validateLogOptions(name, options);
    const pod = await locations.pod(namespace, name);
    const path = logPath(namespace, name, containerOf(pod, options), options);
    const nodeName = pod.spec?.nodeName ?? '';
    // Upstream: a pod that runs nowhere yet has no log.
    if (nodeName === '') return { status: 204, headers: {}, body: new Uint8Array() };
    return proxied(http, outbound, { peer: await locations.agent(nodeName), path, prefix: '' });
  }

  return async (context, kind, options) => {
    const { info, http } = context;
    const { namespace, name, subresource } = info;
    if (subresource === 'proxy') return answerProxy(context, kind);
    if (subresource === 'log') return answerLog(context, options);
    await checkStream(namespace, name, options, subresource !== 'portforward');
    if (!/upgrade/i.test(firstHeader(http.headers, 'connection') ?? ''))
      throw badRequest('Upgrade request required');
    throw unexplained('error dialing backend: this server hands no upgraded connections on');
  };
}

/** One container is meant where there is one; of several one must be named. Throws 400. */
function containerOf({ metadata, spec }: DeepReadonly<Pod>, options: object): string {
  const { container = '' } = options as { readonly container?: string };
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const name = metadata?.name ?? '';
  if (container !== '') {
    if (names.includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0]?.name ?? '';
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
}
