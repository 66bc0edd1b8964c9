import { persistentVolumes } from '../../api/groups/core-v1-storage.ts';
import { pods } from '../../api/groups/core-v1.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../api/groups/rbac-v1.ts';
import { volumeAttachments } from '../../api/groups/storage-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { createAbacAuthorizer } from '../authorization/abac.ts';
import type { AbacPolicy } from '../authorization/abac-policy.ts';
import { alwaysAllow, alwaysDeny, privileged } from '../authorization/fixed.ts';
import type { AuthorizationMode } from '../authorization/modes.ts';
import { createNodeAuthorizer } from '../authorization/node.ts';
import { createNodeGraph } from '../authorization/node-graph.ts';
import { type RbacAuthorizer, createRbacAuthorizer } from '../authorization/rbac.ts';
import type { RbacReaders } from '../authorization/rbac-index.ts';
import { createUnion } from '../authorization/union.ts';
import { type WebhookVersion, createWebhookAuthorizer } from '../authorization/webhook.ts';
import { nodeRules } from '../bootstrap/component-roles.ts';
import { type Remote, createRemoteReview } from '../outbound/remote-review.ts';
import type { Registry } from '../registry/registry.ts';
import type { Authorizer } from '../request.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/index.ts';
import { AssemblyError } from './assembly-error.ts';

/** Settings of authorization, after flags and files have been read. */
export interface AuthorizationSettings {
  /** Authorization modes in the order in which they decide. */
  readonly modes: readonly AuthorizationMode[];
  /** Policies for mode ABAC. */
  readonly policies?: readonly AbacPolicy[];
  /** Service that decides in mode Webhook. */
  readonly webhook?: WebhookSettings;
}

/**
 * Settings of mode Webhook. Decisions are cached for the number of milliseconds that `authorizedTtlMs` or
 * `unauthorizedTtlMs` states.
 */
export interface WebhookSettings {
  readonly remote: Remote;
  readonly version: WebhookVersion;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

/**
 * The authorizer that combines all modes, and the RBAC authorizer and readers that the escalation check needs
 * in every mode.
 */
export interface Authorization {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly readers: RbacReaders;
}

/**
 * Creates the authorizer of the chosen modes. Throws `AssemblyError` if mode Webhook has no service or no transport.
 */
export function assembleAuthorization(
  registry: Registry,
  { modes, policies = [], webhook }: AuthorizationSettings,
  parts: {
    readonly vocabulary: Vocabulary;
    readonly environment: Environment;
    readonly outbound: Outbound | undefined;
  },
): Authorization {
  const { vocabulary, environment, outbound } = parts;
  const readers = {
    roles: registry.reader(roles),
    clusterRoles: registry.reader(clusterRoles),
    roleBindings: registry.reader(roleBindings),
    clusterRoleBindings: registry.reader(clusterRoleBindings),
  };
  const rbac = createRbacAuthorizer(readers, vocabulary);
  const make: { readonly [M in AuthorizationMode]: () => Authorizer } = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbac,
    ABAC: () => createAbacAuthorizer(policies),
    Node: () => nodeAuthorizer(registry, vocabulary),
    Webhook: () => {
      if (webhook === undefined || outbound === undefined)
        throw new AssemblyError(
          'ERR_NO_OUTBOUND',
          'authorization mode Webhook needs the settings of its service and a transport to it',
        );
      const { remote, ...rest } = webhook;
      const post = createRemoteReview({ ...environment, outbound, remote });
      return createWebhookAuthorizer({ ...rest, post, vocabulary, clock: environment.clock });
    },
  };
  return {
    readers,
    rbac,
    authorizer: createUnion([privileged, ...modes.map((mode) => make[mode]())]),
  };
}

function nodeAuthorizer(registry: Registry, vocabulary: Vocabulary): Authorizer {
  const graph = createNodeGraph(
    {
      pods: registry.reader(pods),
      persistentVolumes: registry.reader(persistentVolumes),
      volumeAttachments: registry.reader(volumeAttachments),
    },
    vocabulary.key('', 'config.mirror'),
  );
  return createNodeAuthorizer({ graph, rules: nodeRules(vocabulary), vocabulary });
}
