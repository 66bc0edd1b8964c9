export { YamlFileError, parseYamlDocuments, parseYamlFile } from './files.ts';
