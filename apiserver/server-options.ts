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
import type { VirtualHandler } from './http/virtual/virtual.ts';
import type { WebhookCaller } from './outbound/webhook-caller.ts';
import type { NodeAgents } from './subresources/node-agents.ts';
import type { Registry } from './registry/registry.ts';
import type { RequestLimits } from './request-limits.ts';
import type { AdmissionPlugin, Authenticator, Authorizer } from './request.ts';
import type { Storage } from './storage/storage.ts';

/**
 * A dependency, or a function that creates it from the server's registry and metrics. For example, an
 * authorizer needs a reader of roles.
 */
export type FromRegistry<T> = T | ((registry: Registry, metrics: Metrics) => T);

/** Dependencies and settings of an API server. */
export interface ApiServerOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly storage: Storage;
  /**
   * Authenticators in the order in which they are tried. The anonymous authenticator, if any, must be last.
   */
  readonly authenticators: FromRegistry<readonly Authenticator[]>;
  /** Headers in which an authenticating proxy names the user. They are removed before any later stage. */
  readonly identityHeaders?: IdentityHeaders | undefined;
  readonly authorizer: FromRegistry<Authorizer>;
  /**
   * Admission plugins in the order in which they run. A function also receives the live kinds, including
   * custom kinds.
   */
  readonly admission?:
    | readonly AdmissionPlugin[]
    | ((
        registry: Registry,
        metrics: Metrics,
        kinds: Pick<Catalogue, 'kept' | 'served'>,
      ) => readonly AdmissionPlugin[]);
  /** Stages between authentication and authorization that may replace the user, such as impersonation. */
  readonly stages?: FromRegistry<readonly Stage[]>;
  /** Handlers of resources that are not stored. Default: none. */
  readonly virtual?: FromRegistry<readonly VirtualHandler[]>;
  /**
   * Audit policy and back end. Default: none. The back end starts and stops with the server; events sent
   * before the stop are written.
   */
  readonly audit?: ((metrics: Metrics) => Pick<AuditorOptions, 'policy' | 'backend'>) | undefined;
  /**
   * Functions that run in order after the registry has started and before the server is ready. If one
   * rejects, the start fails.
   */
  readonly bootstrap?: readonly ((registry: Registry) => Promise<void>)[];
  /**
   * True for a built-in kind that clients can reach. Default: true for all. Paths of other kinds respond as
   * unknown paths do.
   */
  readonly serves?: (kind: AnyKind) => boolean;
  /** Enabled feature gates. Default: those of the release. */
  readonly features?: FeatureGates<FeatureName>;
  /** True if pods may have privileged containers. Default: true. */
  readonly allowPrivileged?: boolean;
  /** True to expose metrics that this release hides and the previous release did not. Default: false. */
  readonly showHiddenMetrics?: boolean;
  /** Version that `/version` reports. Default: `v1.24.17`. */
  readonly gitVersion?: string;
  /** `host:port` that `/api` reports. Default: the host that the client requested. */
  readonly serverAddress?: string;
  /** Transport to pods, services and node agents. Without it, requests to them fail. */
  readonly outbound?: Outbound | undefined;
  /** Ports, addresses and credentials for node agents. Default: as in upstream. */
  readonly nodeAgents?: NodeAgents | undefined;
  /**
   * Policy for the addresses of nodes, pods and endpoints that the server connects to. Default: all addresses
   * except loopback and other special ones.
   */
  readonly dialPolicy?: DialPolicy | undefined;
  /** Further static documents, each with a dedicated path. */
  readonly documents?: readonly FixedDocument[];
  /** Paths that other parts of the process handle. Default: none. */
  readonly mounts?: readonly Mount[] | undefined;
  /** Further checks for `/healthz`, `/livez` and `/readyz`. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Caller of conversion webhooks. Without it, objects of kinds that need a webhook cannot be converted. */
  readonly webhooks?: FromRegistry<WebhookCaller>;
  /**
   * Access to the servers of aggregated group versions. Without it, APIServices are stored but have no
   * effect.
   */
  readonly aggregation?: FromRegistry<Aggregation>;
  /** Components of the cluster whose health is returned as ComponentStatuses. Default: none. */
  readonly components?: readonly ComponentCheck[];
  /** Limits on concurrent requests. Default: none. */
  readonly limits?: RequestLimits;
  /** Timeout of requests that are not long-running, in milliseconds. Default: 60,000. */
  readonly requestTimeoutMs?: number;
  /**
   * Minimum lifetime that the server chooses for a watch without `timeoutSeconds`, in milliseconds. Default:
   * 30 minutes.
   */
  readonly shortestWatchMs?: number;
}

/** Access to aggregated API servers. */
export type Aggregation = Pick<AggregatorOptions, 'outbound' | 'resolve' | 'credential'>;

/** Returns the dependency, after creating it if a function was passed. */
export const made = <T extends object>(part: FromRegistry<T>, registry: Registry, metrics: Metrics): T =>
  typeof part === 'function' ? part(registry, metrics) : part;
