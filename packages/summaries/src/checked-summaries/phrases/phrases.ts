import type { Language } from "../slot.ts";

/** The words that may stand around slots, as whole phrases. None of them changes what a clause says. */
export interface Phrases {
  /** Before the first slot of a sentence, several if need be; also after a word between two slots. */
  openers: readonly string[];
  /** Between two slots. */
  links: readonly string[];
  /** After the last slot. */
  endings: readonly string[];
}

const split = (text: string): string[] => text.split("|").map((phrase) => phrase.trim());

/** Each subject with each verb, with and without what follows: "the data shows", "the data shows that". */
const combine = (subjects: string, verbs: string, following: string): string[] =>
  split(subjects).flatMap((subject) =>
    split(verbs).flatMap((verb) => split(following).map((after) => `${subject} ${verb} ${after}`.trim())),
  );

const english: Phrases = {
  openers: [
    ...split(
      "in short|in brief|in summary|to summarize|to sum up|summary|the summary|here is the summary|here is a summary|" +
        "here is the report|this is the report|this is the summary|report|the report|result|the result|results|" +
        "the results|data|the data|figures|the figures|numbers|the numbers|key figures|the key figures|at a glance|" +
        "in detail|details|for information|for reference|hello|dear team|note|note that|please note|please note that",
    ),
    ...combine("the report|the result|the data|the query|the table|this report|it", "shows|says", "|that"),
    ...combine("the results|the data|the figures|the numbers|the rows", "show|say", "|that"),
    ...combine("according to|in|from", "the data|the result|the results|the report|the query|the table", ""),
    ...split("in this report|in this result|we see|we see that|you can see|you can see that|we can see that"),
    ...split(
      "also|in addition|additionally|moreover|furthermore|besides|further|apart from that|beyond that",
    ),
  ],
  links: split(
    "and|but|while|and also|as well as|and in addition|also|in addition|additionally|moreover|furthermore|besides",
  ),
  endings: [
    ...combine("according to|in", "the data|the result|the results|the report|the query|the table", ""),
    ...split("in this report|in this result|as the data shows|as the results show|as the report shows"),
  ],
};

const german: Phrases = {
  openers: [
    ...split(
      "kurz|kurz gesagt|zusammengefasst|Zusammenfassung|die Zusammenfassung|hier ist die Zusammenfassung|" +
        "hier ist der Bericht|das ist der Bericht|Bericht|der Bericht|Ergebnis|das Ergebnis|Ergebnisse|die Ergebnisse|" +
        "Daten|die Daten|Zahlen|die Zahlen|Kennzahlen|die Kennzahlen|auf einen Blick|im Überblick|im Detail|Details|" +
        "zur Information|hallo|liebes Team|Hinweis|bitte beachten",
    ),
    ...combine("der Bericht|das Ergebnis|die Abfrage|die Tabelle|dieser Bericht|es", "zeigt|besagt", ""),
    ...combine("die Ergebnisse|die Daten|die Zahlen|die Zeilen", "zeigen|besagen", ""),
    ...combine("laut|nach", "den Daten|dem Ergebnis|den Ergebnissen|dem Bericht|der Abfrage|der Tabelle", ""),
    ...split(
      "laut Daten|laut Bericht|in den Daten|im Ergebnis|in den Ergebnissen|im Bericht|in diesem Bericht",
    ),
    ...split("in der Tabelle|wir sehen|man sieht|es zeigt sich"),
    ...split("außerdem|zudem|ferner|darüber hinaus|des weiteren|zusätzlich|daneben"),
  ],
  links: split("und|aber|sowie|und außerdem|und zudem|außerdem|zudem|ferner|darüber hinaus|zusätzlich"),
  endings: split(
    "laut den Daten|laut dem Ergebnis|laut den Ergebnissen|laut dem Bericht|in den Daten|im Ergebnis|im Bericht|in diesem Bericht",
  ),
};

const french: Phrases = {
  openers: [
    ...split(
      "en bref|en résumé|pour résumer|en synthèse|résumé|le résumé|voici le résumé|voici le rapport|c'est le rapport|" +
        "rapport|le rapport|résultat|le résultat|résultats|les résultats|données|les données|chiffres|les chiffres|" +
        "chiffres clés|les chiffres clés|en un coup d'œil|en détail|détails|pour information|bonjour|note|à noter|" +
        "notez que|veuillez noter que",
    ),
    ...combine("le rapport|le résultat|la requête|le tableau|ce rapport|il", "montre|indique", "|que|qu'"),
    ...combine("les résultats|les données|les chiffres|les lignes", "montrent|indiquent", "|que|qu'"),
    ...combine(
      "selon|d'après|dans",
      "les données|le résultat|les résultats|le rapport|la requête|le tableau",
      "",
    ),
    ...split(
      "dans ce rapport|dans ce résultat|nous voyons que|on voit que|on constate que|on voit|on constate",
    ),
    ...split("de plus|en outre|par ailleurs|également|en complément"),
  ],
  links: split(
    "et|mais|et aussi|et également|et de plus|ainsi que|tandis que|de plus|en outre|par ailleurs|également",
  ),
  endings: split(
    "selon les données|selon le résultat|selon les résultats|selon le rapport|d'après les données|d'après les résultats|" +
      "dans les données|dans le résultat|dans les résultats|dans ce rapport",
  ),
};

const spanish: Phrases = {
  openers: [
    ...split(
      "en resumen|en breve|en síntesis|para resumir|resumen|el resumen|este es el resumen|aquí está el resumen|" +
        "este es el informe|aquí está el informe|informe|el informe|resultado|el resultado|resultados|los resultados|" +
        "datos|los datos|cifras|las cifras|cifras clave|las cifras clave|de un vistazo|en detalle|detalles|" +
        "para información|hola|nota|cabe señalar que|nótese que",
    ),
    ...combine("el informe|el resultado|la consulta|la tabla|este informe", "muestra|indica", "|que"),
    ...combine("los resultados|los datos|las cifras|las filas", "muestran|indican", "|que"),
    ...combine("según|en", "los datos|el resultado|los resultados|el informe|la consulta|la tabla", ""),
    ...split("de acuerdo con los datos|de acuerdo con los resultados|en este informe|en este resultado"),
    ...split("vemos que|se ve que|se observa que|además|también|asimismo|por otra parte|adicionalmente"),
  ],
  links: split("y|pero|y también|y además|así como|mientras que|además|también|asimismo|por otra parte"),
  endings: split(
    "según los datos|según el resultado|según los resultados|según el informe|en los datos|en el resultado|" +
      "en los resultados|en este informe",
  ),
};

export const phrases: Record<Language, Phrases> = { en: english, de: german, fr: french, es: spanish };
