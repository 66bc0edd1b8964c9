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

/** An entry of a ConfigMap or Secret and the path of its file. */
export const KeyToPath = struct('api.core.v1.KeyToPath', {
  key: required(1, string),
  path: required(2, string),
  mode: optional(3, int32),
});
export interface KeyToPath extends Infer<typeof KeyToPath> {}

/** Volume source: the entries of a ConfigMap as files, which are updated with some delay. */
export const ConfigMapVolumeSource = struct('api.core.v1.ConfigMapVolumeSource', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

/** A file with the value of a pod field or of a container resource. Exactly one reference is set. */
export const DownwardAPIVolumeFile = struct('api.core.v1.DownwardAPIVolumeFile', {
  path: required(1, string),
  fieldRef: optional(2, ref<ObjectFieldSelector>(ObjectFieldSelector)),
  resourceFieldRef: optional(3, ref<ResourceFieldSelector>(ResourceFieldSelector)),
  mode: optional(4, int32),
});
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

/** Volume source: fields of the pod as files, which are updated with some delay. */
export const DownwardAPIVolumeSource = struct('api.core.v1.DownwardAPIVolumeSource', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
  defaultMode: optional(2, int32),
});
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

/** Volume source: an initially empty directory that is deleted with the pod. */
export const EmptyDirVolumeSource = struct('api.core.v1.EmptyDirVolumeSource', {
  medium: value(1, wordOf('', 'HugePages', 'HugePages-', 'Memory')),
  sizeLimit: optional(2, quantity),
});
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

/** Volume source: a file or directory of the node. */
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

/** Source of a projected volume: entries of a ConfigMap as files. */
export const ConfigMapProjection = struct('api.core.v1.ConfigMapProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

/** Source of a projected volume: fields of the pod as files. */
export const DownwardAPIProjection = struct('api.core.v1.DownwardAPIProjection', {
  items: value(1, listOf(ref<DownwardAPIVolumeFile>(DownwardAPIVolumeFile))),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

/** Source of a projected volume: entries of a Secret as files. */
export const SecretProjection = struct('api.core.v1.SecretProjection', {
  ...inline(1, LocalObjectReference),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  optional: optional(4, boolean),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

/** Source of a projected volume: a token of the pod's ServiceAccount, renewed before it expires. */
export const ServiceAccountTokenProjection = struct('api.core.v1.ServiceAccountTokenProjection', {
  audience: value(1, string),
  expirationSeconds: optional(2, int64),
  path: required(3, string),
});
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

/** One source of a projected volume. Exactly one member is set. */
export const VolumeProjection = struct('api.core.v1.VolumeProjection', {
  secret: optional(1, ref<SecretProjection>(SecretProjection)),
  downwardAPI: optional(2, ref<DownwardAPIProjection>(DownwardAPIProjection)),
  configMap: optional(3, ref<ConfigMapProjection>(ConfigMapProjection)),
  serviceAccountToken: optional(4, ref<ServiceAccountTokenProjection>(ServiceAccountTokenProjection)),
});
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

/** Volume source: files from several sources in one volume. */
export const ProjectedVolumeSource = struct('api.core.v1.ProjectedVolumeSource', {
  sources: required(1, listOf(ref<VolumeProjection>(VolumeProjection)), { lenient: true }),
  defaultMode: optional(2, int32),
});
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}

/** Volume source: the entries of a Secret as files in memory. */
export const SecretVolumeSource = struct('api.core.v1.SecretVolumeSource', {
  secretName: value(1, string),
  items: value(2, listOf(ref<KeyToPath>(KeyToPath))),
  defaultMode: optional(3, int32),
  optional: optional(4, boolean),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}
