-- The name of a chart's table in queries, from its title: lower case, without marks on letters, words joined by _.
CREATE OR REPLACE FUNCTION chart_name_of(title text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN word = '' THEN 'chart' WHEN word ~ '^[0-9]' THEN 'chart_' || word ELSE word END
  FROM (SELECT trim('_' FROM left(trim('_' FROM regexp_replace(
    translate(lower(title), 'áàâäãåéèêëíìîïóòôöõúùûüçñß', 'aaaaaaeeeeiiiiooooouuuucns'),
    '[^a-z0-9]+', '_', 'g')), 50)) AS word) AS words
$$;
