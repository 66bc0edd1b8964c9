import {
  type Infer,
  boolean,
  inline,
  int32,
  int64,
  listOf,
  oneOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  value,
  wordOf,
} from '../schema/schema.ts';
import { LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector } from './core-v1-shared.ts';

/** An entry as a file. */
export const KeyToPath = struct('api.core.v1.KeyToPath', {
  key: required(1, string),
  path: required(2, string),
  mode: optional(3, int32),
});
export interface KeyToPath extends Infer<typeof KeyToPath> {}

/** A ConfigMap mounted as a folder, which follows its changes with some delay. */
export const ConfigMapVolumeSource = struct('api.core.v1.ConfigMapVolumeSource', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

/** A file with a field of the pod: exactly one of the two references. */
export const DownwardAPIVolumeFile = struct('api.core.v1.DownwardAPIVolumeFile', {
  path: required(1, string),
  fieldRef: optional(2, ref<ObjectFieldSelector>(ObjectFieldSelector)),
  resourceFieldRef: optional(3, ref<ResourceFieldSelector>(ResourceFieldSelector)),
  mode: optional(4, int32),
});
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

/** Facts about the pod mounted as a folder, which follows their changes. */
export const DownwardAPIVolumeSource = struct('api.core.v1.DownwardAPIVolumeSource', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
  defaultMode: optional(2, int32),
});
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

/** A folder that is empty at first and deleted with the pod. */
export const EmptyDirVolumeSource = struct('api.core.v1.EmptyDirVolumeSource', {
  medium: value(1, wordOf('', 'HugePages', 'HugePages-', 'Memory')),
  sizeLimit: optional(2, quantity),
});
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

/** A file or folder of the node. */
export const HostPathVolumeSource = struct('api.core.v1.HostPathVolumeSource', {
  path: required(1, string),
  type: optional(
    2,
    oneOf(
      '',
      'BlockDevice',
      'CharDevice',
      'Directory',
      'DirectoryOrCreate',
      'File',
      'FileOrCreate',
      'Socket',
    ),
  ),
});
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

/** Entries of a ConfigMap as files of a projected volume. */
export const ConfigMapProjection = struct('api.core.v1.ConfigMapProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

/** Fields of the pod as files of a projected volume. */
export const DownwardAPIProjection = struct('api.core.v1.DownwardAPIProjection', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

/** Entries of a Secret as files of a projected volume. */
export const SecretProjection = struct('api.core.v1.SecretProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

/** A token of the pod's service account as a file, renewed before it ends. */
export const ServiceAccountTokenProjection = struct('api.core.v1.ServiceAccountTokenProjection', {
  audience: value(1, string),
  expirationSeconds: optional(2, int64),
  path: required(3, string),
});
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

/** One source of a projected volume: exactly one member. */
export const VolumeProjection = struct('api.core.v1.VolumeProjection', {
  secret: optional(1, ref<SecretProjection>(SecretProjection)),
  downwardAPI: optional(2, ref<DownwardAPIProjection>(DownwardAPIProjection)),
  configMap: optional(3, ref<ConfigMapProjection>(ConfigMapProjection)),
  serviceAccountToken: optional(4, ref<ServiceAccountTokenProjection>(ServiceAccountTokenProjection)),
});
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

/** Files from several sources in one volume. */
export const ProjectedVolumeSource = struct('api.core.v1.ProjectedVolumeSource', {
  sources: required(1, listOf(ref<VolumeProjection>(VolumeProjection)), { lenient: true }),
  defaultMode: optional(2, int32),
});
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}

/** Entries of a Secret as files, kept in memory. */
export const SecretVolumeSource = struct('api.core.v1.SecretVolumeSource', {
  secretName: value(1, string),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}
