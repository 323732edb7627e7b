// Writes the same routing file over and over, each time with other entries, until it is killed.
const [url, path] = process.argv.slice(2);
const { writeRoutingFile } = await import(url);

console.log("writing");
for (let round = 0; ; round++) {
  const entries = Array.from({ length: 300 }, (_, at) => [`agent:main:x:dm:${at}`, { session_id: `s${at}`, round }]);
  writeRoutingFile(path, new Map(entries));
}
