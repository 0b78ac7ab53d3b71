-- The number of a page says which values it shows. Other choices give the numbers another meaning, so the pages are deleted.
CREATE OR REPLACE FUNCTION public_links_delete_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.published_pages WHERE link_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER public_links_delete_pages AFTER UPDATE OF choices ON public_links
  FOR EACH ROW WHEN (NEW.choices IS DISTINCT FROM OLD.choices)
  EXECUTE FUNCTION public_links_delete_pages();
