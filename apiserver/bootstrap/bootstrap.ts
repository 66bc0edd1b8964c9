import type { PermissionsOf } from '../../api/rbac/index.ts';
import type { Registry } from '../registry/registry.ts';
import { ensureApiService } from './api-service.ts';
import { createBootstrapWriter } from './bootstrap-writer.ts';
import { ensureControllerManagerAccess } from './controller-manager-access.ts';
import { FLOW_CONTROL_MANAGER, ensureFlowControl, ensurePriorityClasses } from './priorities.ts';
import { reconcilePolicy } from './rbac-reconcile.ts';
import { defaultPolicy } from './rbac-roles.ts';
import { type RootObjectsOptions, ensureRootObjects } from './root-objects.ts';
import { ensureSystemNamespaces } from './system-namespaces.ts';

/**
 * Creates the objects that every cluster has: namespaces, priority classes, flow-control objects, default
 * roles and bindings, and the ConfigMaps of `root-objects.ts`. Idempotent; two servers may run it at the same
 * time. Rejects if the store cannot be written or `signal` aborts.
 */
export async function bootstrapCluster(
  registry: Registry,
  options: RootObjectsOptions & {
    /**
     * Address of the Service through which pods reach the API. Undefined if the cluster has no such Service.
     */
    readonly serviceAddress?: string | undefined;
    /** Default permissions of the cluster's controllers. */
    readonly controllerPermissions: readonly PermissionsOf[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const writer = createBootstrapWriter(registry, options.signal);
  await ensureSystemNamespaces(writer, options.vocabulary);
  await ensurePriorityClasses(writer, options.vocabulary);
  const producer = createBootstrapWriter(registry, options.signal, FLOW_CONTROL_MANAGER);
  await ensureFlowControl(producer, registry, options.vocabulary);
  const policy = defaultPolicy(options.vocabulary, options.controllerPermissions);
  await reconcilePolicy(writer, options.vocabulary, policy);
  await ensureControllerManagerAccess(writer, options.vocabulary, policy);
  await ensureRootObjects(writer, options);
  if (options.serviceAddress !== undefined) {
    await ensureApiService(writer, { ...options, address: options.serviceAddress });
  }
}
