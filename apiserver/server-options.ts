import type { FeatureName } from '../api/features/features.ts';
import type { AnyKind, Scheme } from '../api/kinds/index.ts';
import type { Environment } from '../base/environment.ts';
import type { FeatureGates } from '../base/feature-gates/feature-gates.ts';
import type { Outbound } from '../base/http/index.ts';
import type { DialPolicy } from '../base/net/index.ts';
import type { Metrics } from '../base/metrics/index.ts';
import type { AggregatorOptions } from './aggregation/aggregator.ts';
import type { ComponentCheck } from './aggregation/component-statuses.ts';
import type { AuditorOptions } from './audit/auditor.ts';
import type { IdentityHeaders } from './auth/request-header.ts';
import type { Catalogue } from './catalogue.ts';
import type { FixedDocument } from './discovery/fixed-documents.ts';
import type { HealthCheck } from './discovery/health.ts';
import type { Stage } from './http/pipeline.ts';
import type { Mount } from './http/stages/mounts.ts';
import type { VirtualHandler } from './http/virtual.ts';
import type { WebhookCaller } from './outbound/webhook-caller.ts';
import type { NodeAgents } from './subresources/node-agents.ts';
import type { Registry } from './registry/registry.ts';
import type { RequestLimits } from './request-limits.ts';
import type { AdmissionPlugin, Authenticator, Authorizer } from './request.ts';
import type { Storage } from './storage/storage.ts';

/**
 * A part as it is, or made from the registry once that is there: an authorizer reads roles, a plugin namespaces. What it
 * counts it counts in the server's metrics.
 */
export type FromRegistry<T> = T | ((registry: Registry, metrics: Metrics) => T);

/** Parts and settings of a server. */
export interface ApiServerOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  /** Asked in this order; the anonymous one, if any, last. */
  readonly authenticators: FromRegistry<readonly Authenticator[]>;
  /** Headers by which an authenticating proxy says who asks; no later part of the server sees them. */
  readonly identityHeaders?: IdentityHeaders | undefined;
  readonly authorizer: FromRegistry<Authorizer>;
  /** A function is given the kinds of the present besides, custom ones included. */
  readonly admission?:
    | readonly AdmissionPlugin[]
    | ((
        registry: Registry,
        metrics: Metrics,
        kinds: Pick<Catalogue, 'kept' | 'served'>,
      ) => readonly AdmissionPlugin[]);
  /** Stages between authentication and authorization: impersonation, and whatever else replaces the user. */
  readonly stages?: FromRegistry<readonly Stage[]>;
  readonly virtual?: FromRegistry<readonly VirtualHandler[]>;
  /**
   * What is recorded of requests and where it goes; default nothing is. The back end starts and stops with the server: no
   * event that was sent before the stop is lost by it.
   */
  readonly audit?: ((metrics: Metrics) => Pick<AuditorOptions, 'policy' | 'backend'>) | undefined;
  /** Run in order once the registry has started, before the server is ready; a rejection fails the start. */
  readonly bootstrap?: readonly ((registry: Registry) => Promise<void>)[];
  /** Which kinds clients can reach; default all. The others are kept, and answered as if there were no such path. */
  readonly serves?: (kind: AnyKind) => boolean;
  /** Which features are on; default as the release has them. */
  readonly features?: FeatureGates<FeatureName>;
  /** Whether pods may have containers that are privileged; default true. */
  readonly allowPrivileged?: boolean;
  /** Whether metrics are shown that this release hides and the one before it did not; default not. */
  readonly showHiddenMetrics?: boolean;
  /** Shown by `/version`; default `v1.24.17`. */
  readonly gitVersion?: string;
  /** `host:port` that `/api` names; default the host a client asked. */
  readonly serverAddress?: string;
  /** Carries requests to pods, services and the agents of nodes; without it these are not reached. */
  readonly outbound?: Outbound | undefined;
  /** How the agents of nodes are reached; default as upstream's are by default. */
  readonly nodeAgents?: NodeAgents | undefined;
  /** Which addresses of nodes, pods and endpoints are dialled; default all but loopback and other special ones. */
  readonly dialPolicy?: DialPolicy | undefined;
  /** Further documents to serve, each at a path of its own. */
  readonly documents?: readonly FixedDocument[];
  /** Paths that other parts of the process answer; default none. */
  readonly mounts?: readonly Mount[] | undefined;
  /** Further checks of `/healthz`, `/livez` and `/readyz`. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Asks conversion webhooks; without it a custom kind that needs one cannot be converted. */
  readonly webhooks?: FromRegistry<WebhookCaller>;
  /** How requests for group versions of other servers reach them; without it API services are objects like any other. */
  readonly aggregation?: FromRegistry<Aggregation>;
  /** Parts of the cluster whose health component statuses show; default none. */
  readonly components?: readonly ComponentCheck[];
  /** How many requests are served at a time; default any number. */
  readonly limits?: RequestLimits;
  /** Milliseconds a request may take that is no watch; default 60 000. */
  readonly requestTimeoutMs?: number;
  /** Shortest of the lives the server chooses for a watch, milliseconds; default half an hour. */
  readonly shortestWatchMs?: number;
}

export type Aggregation = Pick<AggregatorOptions, 'outbound' | 'resolve' | 'credential'>;

/** The part itself, made now where it is still to be made. */
export const made = <T extends object>(part: FromRegistry<T>, registry: Registry, metrics: Metrics): T =>
  typeof part === 'function' ? part(registry, metrics) : part;
