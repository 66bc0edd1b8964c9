import { persistentVolumes } from '../api/groups/core-v1-storage.ts';
import { pods } from '../api/groups/core-v1.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../api/groups/rbac-v1.ts';
import { volumeAttachments } from '../api/groups/storage-v1.ts';
import type { Vocabulary } from '../api/vocabulary/vocabulary.ts';
import { createAbacAuthorizer } from '../apiserver/authorization/abac.ts';
import { type AbacPolicy, parseAbacPolicies } from '../apiserver/authorization/abac-policy.ts';
import { alwaysAllow, alwaysDeny, privileged } from '../apiserver/authorization/fixed.ts';
import { type AuthorizationMode, knownModes, modeFaults } from '../apiserver/authorization/modes.ts';
import { createNodeAuthorizer } from '../apiserver/authorization/node.ts';
import { createNodeGraph } from '../apiserver/authorization/node-graph.ts';
import { type RbacAuthorizer, createRbacAuthorizer } from '../apiserver/authorization/rbac.ts';
import type { RbacReaders } from '../apiserver/authorization/rbac-index.ts';
import { createUnion } from '../apiserver/authorization/union.ts';
import { type WebhookVersion, createWebhookAuthorizer } from '../apiserver/authorization/webhook.ts';
import { nodeRules } from '../apiserver/bootstrap/component-roles.ts';
import { type Remote, createRemoteReview } from '../apiserver/outbound/remote-review.ts';
import type { Registry } from '../apiserver/registry/registry.ts';
import type { Authorizer } from '../apiserver/request.ts';
import type { Environment } from '../base/environment.ts';
import type { Outbound } from '../base/http/outbound.ts';
import { readRequired } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { readRemote } from './remote.ts';

/** Who decides what a request may do; flags and files have been read. */
export interface AuthorizationSettings {
  /** In the order they are asked. */
  readonly modes: readonly AuthorizationMode[];
  /** Asked in mode ABAC. */
  readonly policies?: readonly AbacPolicy[];
  /** Asked in mode Webhook. */
  readonly webhook?: WebhookSettings;
}

export interface WebhookSettings {
  readonly remote: Remote;
  readonly version: WebhookVersion;
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

/** Reads the flags and the files they name. Throws `UsageError` for modes that do not fit together. */
export async function readAuthorization(
  flags: FlagValues<typeof apiServerCommandFlags>,
  vocabulary: Vocabulary,
  { clock, log }: Environment,
): Promise<AuthorizationSettings> {
  const policyFile = flags['authorization-policy-file'];
  const webhookFile = flags['authorization-webhook-config-file'];
  const modes = flags['authorization-mode'];
  const faults = modeFaults(modes, { policy: policyFile, webhookConfig: webhookFile });
  if (faults.length > 0) throw new UsageError(faults.join('; '));
  if (flags['anonymous-auth'] && modes.includes('AlwaysAllow'))
    log.warn({}, 'requests without credentials are refused in authorization mode AlwaysAllow');
  const read =
    policyFile === '' ? undefined : parseAbacPolicies(await readRequired(policyFile), policyFile, vocabulary);
  if (read !== undefined && read.unversionedLines > 0)
    log.warn({ policyFile, lines: read.unversionedLines }, 'the policy file has rules without a version');
  return {
    modes: knownModes(modes),
    ...(read && { policies: read.policies }),
    ...(webhookFile !== '' && {
      webhook: {
        remote: await readRemote(webhookFile, { vocabulary, clock }),
        version: flags['authorization-webhook-version'],
        authorizedTtlMs: flags['authorization-webhook-cache-authorized-ttl'],
        unauthorizedTtlMs: flags['authorization-webhook-cache-unauthorized-ttl'],
      },
    }),
  };
}

/** All modes as one, with what of RBAC the check against escalation needs whatever the modes are. */
export interface Authorization {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly readers: RbacReaders;
}

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
        throw new UsageError('authorization mode Webhook needs a service to ask, and a way to it');
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
